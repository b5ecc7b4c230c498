// Serves the edge on Cloudflare Workers: bindings in, the app out. The only file that knows Cloudflare.
import { env } from "cloudflare:workers";
import * as z from "zod/mini";
import { type Assets, createApp } from "./app.ts";
import { depsFromEnv } from "./env.ts";
import { isPlaceInApp } from "./static.ts";

const Bindings = z.looseObject({
  ASSETS: z.optional(z.custom<{ fetch(request: Request): Promise<Response> }>()),
});

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

// Built once for an isolate: a missing secret shows at the start, and no request pays for the routes.
const app = createApp(
  depsFromEnv(variables, { runtime: "workerd", continuesUnattended: false, sharesTurns: false }),
  assets,
);

export default { fetch: app.fetch };
