// Creates the edge's Deps from environment variables, which are validated once at the start. Those of engines,
// forges and MCP servers are passed on, and validated at their first use.
import { HandrailError } from "../shared/errors.ts";
import { version } from "../shared/version.ts";
import type { Deps, Memory } from "./deps.ts";
import type { EnginePlatform } from "./engines/engine.ts";
import type { EdgeHost } from "./host.ts";
import * as limits from "./limits.ts";
import { createLiveTurns } from "./live/live-turns.ts";
import { createMetrics } from "./metrics.ts";
import type { Provider } from "./model/provider.ts";
import { type EnvVariables, readProviders } from "./model/read-providers.ts";
import { createToolSupport } from "./model/tool-support.ts";
import { notifySecrets, notifySettings } from "./notify/push-settings.ts";
import { createRateLimiter, type RateLimiters } from "./rate-limiter.ts";
import { createSandboxClient } from "./sandbox/client.ts";

/** The minimum length of a token that cannot be guessed: 32 characters of base64url are 192 bits. */
const minTokenLength = 32;

/**
 * `bound`: rate limiters that the platform shares between its processes, used in place of ours in memory. `platform`:
 * what engines of sandboxes need from it. Throws `invalid_request` naming the variable and the remedy.
 */
export function depsFromEnv(
  env: EnvVariables,
  host: EdgeHost,
  bound: Partial<RateLimiters> = {},
  platform: EnginePlatform = {},
): Deps {
  const token = required(env, "HANDRAIL_TOKEN");
  if (token.length < minTokenLength) {
    throw new HandrailError(
      "invalid_request",
      `HANDRAIL_TOKEN is shorter than ${minTokenLength} characters; use a longer one.`,
    );
  }
  // Redirects are not followed, so that credentials reach only the configured addresses.
  const fetchDirect: typeof fetch = (input, init) => fetch(input, { ...init, redirect: "manual" });
  const hasGuests = env.HANDRAIL_ENGINE && !/^(here|local)$/.test(env.HANDRAIL_ENGINE);
  // Each guest has its own token.
  const given = hasGuests ? (name: string) => env[name] || "http://guests" : required.bind(null, env);
  const sandboxToken = given("SANDBOX_TOKEN");
  const providers = readProviders(env);
  const hosts = knownHosts(env, host);
  const now = () => Date.now();
  const elapsed = () => performance.now();
  const newId = () => crypto.randomUUID();
  const log: Deps["log"] = (entry) => logLine(entry);
  const toGuests: typeof fetch = async (input, init) => {
    const { guestFetch } = await import("./engines/guests.ts");
    guests ??= guestFetch({ env, fetch: fetchDirect, now, elapsed, newId, log, platform });
    return guests(input, init);
  };
  let guests: typeof fetch | undefined;
  const tendGuests = async () => void (await toGuests("http://guests/tend"));
  return {
    fetch: fetchDirect,
    now,
    elapsed,
    newId,
    token,
    origins: origins(env),
    ...(hosts ? { hosts } : {}),
    ...identityProxyOf(env),
    providers,
    secrets: [
      token,
      sandboxToken,
      ...notifySecrets(env),
      ...forgeSecrets(env),
      env.HANDRAIL_ENGINE_SECRET ?? token,
      env.E2B_API_KEY ?? token,
      ...providers.flatMap(secretsOf),
    ],
    sandbox: createSandboxClient({
      fetch: hasGuests ? toGuests : fetchDirect,
      baseUrl: given("SANDBOX_URL"),
      token: sandboxToken,
      hasGuests,
    }),
    ...(hasGuests ? { tendGuests } : {}),
    memory: {
      liveTurns: createLiveTurns(),
      toolSupport: createToolSupport(),
      keyChecks: new Map(),
      metrics: createMetrics(now),
      ...rateLimitersOf(env, elapsed, bound),
    },
    host,
    ...spendLimitOf(env),
    ...unattendedOf(env),
    notify: notifySettings(env),
    forges: {
      hosts: env.HANDRAIL_FORGES,
      githubClient: env.HANDRAIL_GITHUB_CLIENT_ID,
      tokens: env.HANDRAIL_FORGE_TOKENS,
    },
    mcp: env.HANDRAIL_MCP,
    version,
    workspace: workspaceOf(env),
    logsRequests: env.HANDRAIL_LOG === "requests",
    log,
  };
}

/** The tokens in HANDRAIL_FORGE_TOKENS, without user names. */
function forgeSecrets({ HANDRAIL_FORGE_TOKENS: tokens = "" }: EnvVariables): string[] {
  return [...tokens.matchAll(/=(?:[^\s,:]+:)?([^\s,]+)/g)].map(([, token = ""]) => token);
}

/** The provider's key, and the values of its headers that are long enough to be keys. */
function secretsOf({ apiKey, models }: Provider): string[] {
  const values = models.flatMap(({ headers = {} }) => Object.values(headers));
  return [...(apiKey ? [apiKey] : []), ...values.filter(({ length }) => length >= 16)];
}

function required(env: EnvVariables, name: string): string {
  const value = env[name];
  if (value) return value;
  throw new HandrailError(
    "invalid_request",
    `${name} is not set; set it, or start everything with: npm start`,
  );
}

function spendLimitOf(env: EnvVariables): Pick<Deps, "spendLimit"> {
  const spendLimit = amountOf(
    env,
    "HANDRAIL_SPEND_LIMIT",
    "the US dollars that one turn may cost, for example 0.50",
  );
  return spendLimit === undefined ? {} : { spendLimit };
}

/** 0 minutes or rounds: an interrupted turn waits for its client. */
function unattendedOf(env: EnvVariables): Pick<Deps, "unattended"> {
  const { HANDRAIL_UNATTENDED_ROUNDS: some, HANDRAIL_UNATTENDED_MINUTES: time } = env;
  if (some === "0" || time === "0") return {};
  const { rounds, minutes } = limits.unattendedDefaults;
  const spendLimit = amountOf(
    env,
    "HANDRAIL_UNATTENDED_SPEND",
    "the US dollars that a turn may cost while nobody watches it",
  );
  return {
    unattended: {
      rounds:
        amountOf(
          env,
          "HANDRAIL_UNATTENDED_ROUNDS",
          "how many rounds a turn may have while nobody watches it, or 0",
        ) ?? rounds,
      minutes:
        amountOf(
          env,
          "HANDRAIL_UNATTENDED_MINUTES",
          "how many minutes a turn may run while nobody watches it, or 0",
        ) ?? minutes,
      ...(spendLimit === undefined ? {} : { spendLimit }),
    },
  };
}

/** undefined = not set. */
function amountOf(env: EnvVariables, name: string, what: string): number | undefined {
  const text = env[name];
  if (!text) return undefined;
  const amount = Number(text);
  if (amount > 0) return amount;
  throw new HandrailError("invalid_request", `${name}: write ${what}.`);
}

function origins(env: EnvVariables): string[] {
  const listed = (env.HANDRAIL_ORIGINS ?? "").split(/[\s,]+/).filter((origin) => origin !== "");
  const own = env.HANDRAIL_PUBLIC_URL ? [env.HANDRAIL_PUBLIC_URL] : [];
  return [...listed, ...own].map((text) => urlOf(text).origin);
}

/** Workers get requests only for their own routes; a self-hosted server must check the name. */
function knownHosts(env: EnvVariables, host: EdgeHost): string[] | undefined {
  if (host.runtime === "workerd" && !env.HANDRAIL_HOST) return undefined;
  const bound = env.HANDRAIL_HOST ? [env.HANDRAIL_HOST] : [];
  return [...bound, ...(env.HANDRAIL_PUBLIC_URL ? [urlOf(env.HANDRAIL_PUBLIC_URL).hostname] : [])];
}

/** `HANDRAIL_RATE_LIMIT`: requests per minute with the token, of which a tenth may be turns; 0 = no limits. */
function rateLimitersOf(
  env: EnvVariables,
  elapsed: () => number,
  bound: Partial<RateLimiters>,
): Pick<Memory, "rateLimiters"> {
  const perMinute = Number(env.HANDRAIL_RATE_LIMIT || limits.requestsPerMinute);
  if (perMinute === 0) return {};
  if (!Number.isInteger(perMinute) || perMinute < 10) {
    throw new HandrailError(
      "invalid_request",
      "HANDRAIL_RATE_LIMIT must be a whole number of requests a minute, 10 or more, or 0 for no limit.",
    );
  }
  return {
    rateLimiters: {
      requests: createRateLimiter(perMinute, elapsed),
      turns: createRateLimiter(Math.floor(perMinute / 10), elapsed),
      strangers: createRateLimiter(limits.strangersPerMinute, elapsed),
      ...bound,
    },
  };
}

function identityProxyOf(env: EnvVariables): Pick<Deps, "identityProxy"> {
  const { HANDRAIL_ACCESS_TEAM: team, HANDRAIL_ACCESS_AUDIENCE: audience } = env;
  if (!team && !audience) return {};
  if (team && audience) return { identityProxy: { team: urlOf(team).origin, audience } };
  throw new HandrailError(
    "invalid_request",
    "HANDRAIL_ACCESS_TEAM and HANDRAIL_ACCESS_AUDIENCE belong together; set both, or neither.",
  );
}

function urlOf(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new HandrailError(
      "invalid_request",
      `${JSON.stringify(text)} is not a URL; write it like https://example.com`,
    );
  }
}

/** Only the folder's name, because the edge does not need the host path. */
function workspaceOf(env: EnvVariables): Deps["workspace"] {
  const name = env.HANDRAIL_WORKSPACE?.split(/[\\/]/)
    .filter((part) => part !== "")
    .at(-1);
  return name ? { kind: "folder", name } : { kind: "sample", name: "sample project" };
}

function logLine(entry: Parameters<Deps["log"]>[0]): void {
  // biome-ignore lint/suspicious/noConsole: the platform's log is where these lines belong.
  console.error(JSON.stringify({ at: new Date().toISOString(), ...entry }));
}
