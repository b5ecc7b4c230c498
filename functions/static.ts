// Serves the built page from a folder that a runtime reads, with Hono's middleware for types, paths and ETags.
import { Hono, type MiddlewareHandler } from "hono";
import { etag } from "hono/etag";
import { serveStatic } from "hono/serve-static";
import type { Assets } from "./app.ts";
import { isPlaceInApp } from "./place-in-app.ts";

/** The bytes of a file below the page's folder, or undefined. The path contains no `..`. */
export type ReadAsset = (path: string) => Promise<Uint8Array<ArrayBuffer> | undefined>;

/** Files whose names contain a hash of their content never change; browsers must revalidate the others. */
function cacheControl(path: string): string {
  return path.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache";
}

/** Responds like Workers' static assets: a file, the page for every path of the app, or undefined. */
export function serveAssets(read: ReadAsset): Assets {
  const page = files(read, "index.html");
  const app = new Hono()
    .use(etag())
    .get("*", files(read))
    .get("*", (c, next) => (isPlaceInApp(new URL(c.req.url).pathname) ? page(c, next) : next()));
  return async (request) => {
    const answer = await app.fetch(request);
    return answer.status === 404 ? undefined : answer;
  };
}

function files(read: ReadAsset, path?: string): MiddlewareHandler {
  return serveStatic({
    ...(path === undefined ? {} : { path }),
    root: "",
    rewriteRequestPath: (asked) => asked.slice(1),
    getContent: async (found) => (found.includes("\0") ? null : ((await read(found)) ?? null)),
    onFound: (found, c) => c.header("cache-control", cacheControl(found)),
  });
}
