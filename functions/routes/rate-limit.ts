// Refuses requests that come too often: 429 with Retry-After, and which limit it was.
import type { Context, MiddlewareHandler } from "hono";
import { HandrailError } from "../../shared/errors.ts";
import type { RateLimiter } from "../rate-limiter.ts";

/** The address a request came from, as the runtime or the proxy in front knows it. */
export type AddressOf = (c: Context) => string;

export function rateLimit(limiter: RateLimiter, what: string, key: AddressOf): MiddlewareHandler {
  return async (c, next) => {
    await spend(limiter, what, key(c));
    await next();
  };
}

/** Counts one request. Throws `rate_limited`; `what` names the limit in its text. */
export async function spend(limiter: RateLimiter, what: string, key: string): Promise<void> {
  const answer = await limiter(key);
  if (answer.ok) return;
  const { retryAfterSeconds } = answer;
  throw new HandrailError("rate_limited", `Too many ${what}; try again in ${retryAfterSeconds} s.`, {
    details: { limit: what, retryAfterSeconds },
  });
}
