// Checks the signed header of an identity proxy (Cloudflare Access), which is required in addition to the token. Off
// unless configured.

import type { MiddlewareHandler } from "hono";
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import { bytesOf } from "../base64url.ts";

/**
 * The settings of Cloudflare Access:
 * https://developers.cloudflare.com/cloudflare-one/identity/authorization-cookie/validating-json/
 */
export interface IdentityProxy {
  /** The team's origin, `https://TEAM.cloudflareaccess.com`, which signs requests and publishes its keys. */
  team: string;
  /** The application's audience tag. */
  audience: string;
}

declare module "hono" {
  interface ContextVariableMap {
    /** Who sends the request, if an identity proxy says so. */
    person: string | undefined;
  }
}

const headerName = "cf-access-jwt-assertion";
const keysPath = "/cdn-cgi/access/certs";
/** Access rotates its keys every 6 weeks and publishes the next ones in advance. */
const keysFreshMs = 60 * 60_000;
/** Forged headers must not make us fetch the keys each time. */
const askAgainMs = 60_000;

/** RSA public keys as a key set publishes them (RFC 7517). */
const KeySet = z.object({
  keys: z.array(z.object({ kid: z.string(), kty: z.literal("RSA"), n: z.string(), e: z.string() })),
});
type Keys = z.infer<typeof KeySet>["keys"];

/**
 * Refuses a request with a header that is missing, forged, expired, or meant for another application. hono/jwt would add
 * 3 KB to the worker for twelve other algorithms.
 */
export function behindIdentityProxy(
  proxy: IdentityProxy,
  { fetch, now }: { fetch: typeof globalThis.fetch; now(): number },
): MiddlewareHandler {
  let known: { keys: Keys; at: number } | undefined;
  return async (c, next) => {
    const assertion = c.req.header(headerName);
    if (assertion === undefined) throw refused("missing; open Handrail through its Access address.");
    const claims = await claimsFrom(assertion);
    if (claims) {
      c.set("person", claims.sub);
      return next();
    }
    throw refused("not valid for this application; sign in at its Access address again.");
  };

  async function claimsFrom(assertion: string): Promise<Claims | undefined> {
    const ageMs = known ? now() - known.at : Number.POSITIVE_INFINITY;
    const claims = known && ageMs < keysFreshMs && (await validClaims(assertion, known.keys));
    if (claims) return claims;
    if (known && ageMs < askAgainMs) return undefined;
    known = { keys: await readKeys(), at: now() };
    return validClaims(assertion, known.keys);
  }

  /**
   * The claims in `assertion`, if one of `keys` signed them for this application and they are valid now. Never throws.
   */
  async function validClaims(assertion: string, keys: Keys): Promise<Claims | undefined> {
    const claims = await signedClaims(assertion, keys).catch(() => undefined);
    if (claims === undefined) return undefined;
    // The time of issue is not checked: with a clock that is a second slow, every new login would be refused.
    const { iss, aud, exp, nbf = 0 } = claims;
    const seconds = now() / 1_000;
    const holds =
      iss === proxy.team && [aud].flat().includes(proxy.audience) && exp > seconds && nbf <= seconds;
    return holds ? claims : undefined;
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

/** `crit` lists extensions that a reader must understand; this one understands none. */
const Header = z.object({ alg: z.literal("RS256"), kid: z.string(), crit: z.optional(z.never()) });
const Claims = z.object({
  iss: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  /** Seconds since the epoch. */
  exp: z.number(),
  nbf: z.optional(z.number()),
  /** The user who signed in; a service token has none. */
  sub: z.optional(z.string()),
});
type Claims = z.infer<typeof Claims>;

/** The claims of `token` if one of `keys` signed it with RS256 (RFC 7515, RFC 7518); otherwise undefined, or throws. */
async function signedClaims(token: string, keys: Keys): Promise<Claims | undefined> {
  const [head = "", body = "", signature = "", ...more] = token.split(".");
  const { kid } = z.parse(Header, JSON.parse(text(head)));
  const jwk = keys.find((key) => key.kid === kid);
  if (jwk === undefined || more.length > 0) return undefined;
  const rsa = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  const { kty, n, e } = jwk;
  const key = await crypto.subtle.importKey("jwk", { kty, n, e }, rsa, false, ["verify"]);
  const signed = new TextEncoder().encode(`${head}.${body}`);
  const isSigned = await crypto.subtle.verify(rsa, key, bytesOf(signature), signed);
  return isSigned ? z.parse(Claims, JSON.parse(text(body))) : undefined;
}

function text(base64url: string): string {
  return new TextDecoder().decode(bytesOf(base64url));
}

function refused(why: string): HandrailError {
  return new HandrailError("forbidden", `Cf-Access-Jwt-Assertion: ${why}`);
}
