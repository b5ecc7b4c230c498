// Serves the built page out of a folder that a runtime reads: types, cache headers, compression, the page for app paths.
import type { Assets } from "./app.ts";
import { sha256Hex } from "./sha256.ts";

/** The bytes of a file below the page's folder, or undefined. The path has no `..`. */
export type ReadAsset = (path: string) => Promise<Uint8Array<ArrayBuffer> | undefined>;

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  map: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  wasm: "application/wasm",
  webmanifest: "application/manifest+json",
  woff2: "font/woff2",
};

/** Names that carry a hash of their content never change; everything else is asked for again. */
export function cacheControl(path: string): string {
  return path.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache";
}

export function serveAssets(read: ReadAsset): Assets {
  return async (request) => {
    const path = assetPath(new URL(request.url).pathname);
    if (path === undefined) return undefined;
    const file = (await load(path)) ?? (isPlaceInApp(path) ? await load("index.html") : undefined);
    return file && answer(request, file.path, file.bytes);
  };

  async function load(path: string) {
    const bytes = await read(path);
    return bytes && { path, bytes };
  }
}

function assetPath(pathname: string): string | undefined {
  let path: string;
  try {
    path = decodeURIComponent(pathname).slice(1);
  } catch {
    return undefined;
  }
  if (path.includes("\0") || path.includes("\\") || path.split("/").includes("..")) return undefined;
  return path === "" || path.endsWith("/") ? `${path}index.html` : path;
}

/** A path without an extension is a place inside the app, and the page's to show. */
export function isPlaceInApp(path: string): boolean {
  return !/\.[a-z0-9]+$/i.test(path) || path.endsWith("/index.html");
}

async function answer(request: Request, path: string, bytes: Uint8Array<ArrayBuffer>): Promise<Response> {
  const etag = `"${(await sha256Hex(bytes)).slice(0, 32)}"`;
  const headers = new Headers({ "cache-control": cacheControl(path), etag, vary: "accept-encoding" });
  if (request.headers.get("if-none-match")?.includes(etag))
    return new Response(null, { status: 304, headers });
  const type = types[path.slice(path.lastIndexOf(".") + 1)] ?? "application/octet-stream";
  headers.set("content-type", type);
  if (!isText(type) || !request.headers.get("accept-encoding")?.includes("gzip"))
    return new Response(bytes, { headers });
  headers.set("content-encoding", "gzip");
  return new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip")), { headers });
}

function isText(type: string): boolean {
  return type.startsWith("text/") || type.includes("json") || type.includes("xml");
}
