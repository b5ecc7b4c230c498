// Serves the edge on Cloudflare Workers: converts bindings and passes requests to the app. Only this file and
// worker-*.ts know Cloudflare.
import { env } from "cloudflare:workers";
import type { Hono } from "hono/tiny";
import * as z from "zod/mini";
import { toHandrailError } from "../shared/errors.ts";
import { type Assets, createApp } from "./app.ts";
import type { Deps } from "./deps.ts";
import type { EnginePlatform } from "./engines/engine.ts";
import { depsFromEnv } from "./env.ts";
import { isPlaceInApp } from "./place-in-app.ts";
import type { RateLimiter, RateLimiters } from "./rate-limiter.ts";
import { createPacedReading } from "./worker-body.ts";
import { keeperOf, sharedSpending, type TurnsBinding, turnRunner } from "./worker-turns.ts";

/** https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/ */
type RateLimitBinding = { limit(options: { key: string }): Promise<{ success: boolean }> };

const Bindings = z.looseObject({
  ASSETS: z.optional(z.custom<{ fetch(request: Request): Promise<Response> }>()),
  REQUEST_LIMIT: z.optional(z.custom<RateLimitBinding>()),
  TURN_LIMIT: z.optional(z.custom<RateLimitBinding>()),
  STRANGER_LIMIT: z.optional(z.custom<RateLimitBinding>()),
  TURNS: z.optional(z.custom<TurnsBinding>()),
  GUESTS: z.optional(z.custom<EnginePlatform["containers"]>()),
});

/** The period in wrangler.toml; the binding does not say how much of it is left. */
const bindingPeriodSeconds = 60;

const bindings = z.parse(Bindings, env);
const variables = Object.fromEntries(
  Object.entries(bindings).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
);

const assets: Assets = async (request) => {
  const response = await bindings.ASSETS?.fetch(request);
  if (response?.status !== 404) return response;
  const url = new URL(request.url);
  return isPlaceInApp(url.pathname)
    ? bindings.ASSETS?.fetch(new Request(new URL("/", url), request))
    : undefined;
};

const limiters = {
  ...bound("requests", bindings.REQUEST_LIMIT),
  ...bound("turns", bindings.TURN_LIMIT),
  ...bound("strangers", bindings.STRANGER_LIMIT),
};

// Built once for each isolate, so that requests do not have to build the routes.
const { answer, left } = build();

/** Bound as TURNS: runs turns that requests must leave. */
export const TurnRunner = turnRunner(left);

/**
 * A missing secret must not prevent the script from loading, because the platform runs it before the first secret can
 * be set.
 */
function build(): { answer: Hono["fetch"]; left?: Deps } {
  try {
    const platform = { runtime: "workerd", continuesUnattended: false, sharesTurns: false } as const;
    const { GUESTS: containers, TURNS: turns } = bindings;
    const kept = turns ? { spending: sharedSpending(turns) } : {};
    const own = {
      ...depsFromEnv(variables, platform, limiters, { containers, ...kept, requestsApart: true }),
      readBody: createPacedReading(),
    };
    const handsOver = turns !== undefined && own.unattended !== undefined;
    const host = { ...platform, handsOver };
    const deps: Deps = {
      ...own,
      host,
      ...(turns && handsOver ? { keeper: keeperOf(turns, own.log) } : {}),
    };
    return {
      answer: createApp(deps, assets, (c) => c.req.header("cf-connecting-ip") ?? "unknown").fetch,
      left: { ...deps, host: { ...host, continuesUnattended: true } },
    };
  } catch (error) {
    const body = { error: toHandrailError(error).toInfo() };
    return { answer: () => Response.json(body, { status: 500 }) };
  }
}

/** If the platform counts, all isolates count together. */
function bound(name: keyof RateLimiters, binding: RateLimitBinding | undefined): Partial<RateLimiters> {
  if (!binding) return {};
  const limiter: RateLimiter = async (key) => {
    const { success } = await binding.limit({ key });
    return success ? { ok: true } : { ok: false, retryAfterSeconds: bindingPeriodSeconds };
  };
  return { [name]: limiter };
}

/** `scheduled` is called by the cron trigger of wrangler.toml. */
export default { fetch: answer, scheduled: () => left?.tendGuests?.() };
