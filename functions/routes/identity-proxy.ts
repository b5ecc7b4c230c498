// An identity proxy in front (Cloudflare Access): its signed header is required beside the token. Off unless configured.
import type { MiddlewareHandler } from "hono";
import { verifyWithJwks } from "hono/jwt";
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";

/** The claims that Cloudflare Access signs: https://developers.cloudflare.com/cloudflare-one/identity/authorization-cookie/validating-json/ */
export interface IdentityProxy {
  /** The team's origin, `https://TEAM.cloudflareaccess.com`: it signs, and publishes its keys. */
  team: string;
  /** The application's audience tag. */
  audience: string;
}

const headerName = "cf-access-jwt-assertion";
const keysPath = "/cdn-cgi/access/certs";
/** Access rotates its keys every 6 weeks and publishes the next ones in advance. */
const keysFreshMs = 60 * 60_000;
/** A forged header must not make us fetch the keys every time. */
const askAgainMs = 60_000;

/** RSA public keys as a key set publishes them (RFC 7517). */
const KeySet = z.object({
  keys: z.array(z.object({ kid: z.string(), kty: z.literal("RSA"), n: z.string(), e: z.string() })),
});
type Keys = z.infer<typeof KeySet>["keys"];

/**
 * Refuses a request whose header is missing, forged, expired, or meant for another application. Not the middleware
 * hono/jwk: that wants `Bearer` before the token, and fetches the keys anew for each request.
 */
export function behindIdentityProxy(
  proxy: IdentityProxy,
  { fetch, now }: { fetch: typeof globalThis.fetch; now(): number },
): MiddlewareHandler {
  let known: { keys: Keys; at: number } | undefined;
  return async (c, next) => {
    const assertion = c.req.header(headerName);
    if (assertion === undefined) throw refused("missing; open Handrail through its Access address.");
    if (await holds(assertion)) return next();
    throw refused("not valid for this application; sign in at its Access address again.");
  };

  async function holds(assertion: string): Promise<boolean> {
    const ageMs = known ? now() - known.at : Number.POSITIVE_INFINITY;
    if (known && ageMs < keysFreshMs && (await isSigned(assertion, known.keys, proxy))) return true;
    if (known && ageMs < askAgainMs) return false;
    known = { keys: await readKeys(), at: now() };
    return isSigned(assertion, known.keys, proxy);
  }

  async function readKeys(): Promise<Keys> {
    try {
      const response = await fetch(new URL(keysPath, proxy.team));
      return z.parse(KeySet, await response.json()).keys;
    } catch (cause) {
      throw new HandrailError(
        "forbidden",
        "The identity proxy's keys cannot be read; check HANDRAIL_ACCESS_TEAM, or try again.",
        { cause, retryable: true },
      );
    }
  }
}

/** Whether one of `keys` signed `token` for this application, and it is valid now. Never throws. */
async function isSigned(token: string, keys: Keys, { team, audience }: IdentityProxy): Promise<boolean> {
  try {
    // The time of issue is not compared: a clock that is a second behind Cloudflare's would refuse every new login.
    const verification = { iss: team, aud: audience, iat: false };
    const claims = await verifyWithJwks(token, { keys, allowedAlgorithms: ["RS256"], verification });
    // Hono takes a token without an end.
    return typeof claims.exp === "number";
  } catch {
    return false;
  }
}

function refused(why: string): HandrailError {
  return new HandrailError("forbidden", `Cf-Access-Jwt-Assertion: ${why}`);
}
