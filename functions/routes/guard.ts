// Who may call /api: checks the host name, the calling page's origin and the token.
import type { Context, MiddlewareHandler } from "hono";
import { HandrailError } from "../../shared/errors.ts";

/** Methods and headers that a listed origin may send. */
const corsHeaders = {
  "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
  "access-control-allow-headers":
    "authorization, content-type, content-encoding, x-model-key, x-git-token, x-git-remote, range, if-none-match",
  "access-control-expose-headers": "x-request-id, retry-after, etag, content-range",
  "access-control-max-age": "600",
} as const;

/**
 * Refuses pages of other origins, and answers the preflight request of a listed one. Requests without `Origin` pass:
 * they come from programs, or from the app's own page.
 */
export function sameOrigin(origins: readonly string[]): MiddlewareHandler {
  return async (c, next) => {
    const origin = c.req.header("origin");
    if (origin === undefined || origin === new URL(c.req.url).origin) return next();
    if (!origins.includes(origin)) {
      throw new HandrailError(
        "forbidden",
        "Origin: this page may not call Handrail; list its origin in HANDRAIL_ORIGINS.",
      );
    }
    if (c.req.method === "OPTIONS") c.res = c.body(null, 204);
    else await next();
    c.header("access-control-allow-origin", origin);
    c.header("vary", "origin", { append: true });
    for (const [name, value] of Object.entries(corsHeaders)) c.header(name, value);
  };
}

/**
 * Refuses host names that a foreign DNS server may have pointed at this machine (DNS rebinding). `hosts`: names allowed
 * in addition to loopback and IP addresses; undefined = the platform has already checked the name.
 */
export function knownHost(hosts: readonly string[] | undefined): MiddlewareHandler {
  return async (c, next) => {
    const { hostname } = new URL(c.req.url);
    if (hosts === undefined || isAddressOrLocalhost(hostname) || hosts.includes(hostname)) return next();
    throw new HandrailError(
      "forbidden",
      "Host: this name is not Handrail's; set HANDRAIL_PUBLIC_URL to the URL you use.",
    );
  };
}

function isAddressOrLocalhost(hostname: string): boolean {
  return hostname === "localhost" || /^\d+\.\d+\.\d+\.\d+$/.test(hostname) || hostname.startsWith("[");
}

/**
 * Refuses a request without the bearer token. The comparison takes constant time.
 * `onStranger` is called for each refused request and may throw instead.
 */
export function bearer(token: string, onStranger: (c: Context) => Promise<void>): MiddlewareHandler {
  const expected = new TextEncoder().encode(token);
  return async (c, next) => {
    const given = /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
    if (given !== undefined && sameBytes(new TextEncoder().encode(given), expected)) return next();
    await onStranger(c);
    throw new HandrailError(
      "unauthorized",
      given === undefined
        ? "Authorization: missing; send `Bearer` and the token that the server printed at its start."
        : "Authorization: wrong token; pair again with the URL that the server printed at its start.",
    );
  };
}

function sameBytes(given: Uint8Array, expected: Uint8Array): boolean {
  let difference = given.length ^ expected.length;
  for (let index = 0; index < expected.length; index++) {
    difference |= (given[index % given.length] ?? 0) ^ (expected[index] ?? 0);
  }
  return difference === 0;
}
