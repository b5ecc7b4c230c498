// An identity proxy in front (Cloudflare Access): its signed header is required beside the token. Off unless configured.
import type { MiddlewareHandler } from "hono";
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import { isSigned, PublicKey } from "./signed-assertion.ts";

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

const KeySet = z.object({ keys: z.array(PublicKey) });

/** Refuses a request whose header is missing, forged, expired, or meant for another application. */
export function behindIdentityProxy(
  proxy: IdentityProxy,
  { fetch, now }: { fetch: typeof globalThis.fetch; now(): number },
): MiddlewareHandler {
  let known: { keys: PublicKey[]; at: number } | undefined;
  return async (c, next) => {
    const assertion = c.req.header(headerName);
    if (assertion === undefined) throw refused("missing; open Handrail through its Access address.");
    if (await holds(assertion)) return next();
    throw refused("not valid for this application; sign in at its Access address again.");
  };

  async function holds(assertion: string): Promise<boolean> {
    const expected = { issuer: proxy.team, audience: proxy.audience, nowSeconds: now() / 1000 };
    const ageMs = known ? now() - known.at : Number.POSITIVE_INFINITY;
    if (known && ageMs < keysFreshMs && (await isSigned(assertion, known.keys, expected))) return true;
    if (known && ageMs < askAgainMs) return false;
    known = { keys: await readKeys(), at: now() };
    return isSigned(assertion, known.keys, expected);
  }

  async function readKeys(): Promise<PublicKey[]> {
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

function refused(why: string): HandrailError {
  return new HandrailError("forbidden", `Cf-Access-Jwt-Assertion: ${why}`);
}
