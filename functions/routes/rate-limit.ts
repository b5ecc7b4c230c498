// Refuses requests that come too often, with 429, Retry-After and the name of the limit.
import type { Context, MiddlewareHandler } from "hono";
import { HandrailError } from "../../shared/errors.ts";
import type { RateLimiter } from "../rate-limiter.ts";

/** The address from which a request came, as the runtime or the proxy in front of it knows it. */
export type AddressOf = (c: Context) => string;

export function rateLimit(limiter: RateLimiter, what: string, key: AddressOf): MiddlewareHandler {
  return async (c, next) => {
    await spend(limiter, what, key(c));
    await next();
  };
}

/** Counts one request. Throws `rate_limited`, with `what` as the name of the limit. */
export async function spend(limiter: RateLimiter, what: string, key: string): Promise<void> {
  const answer = await limiter(key);
  if (answer.ok) return;
  const { retryAfterSeconds } = answer;
  throw new HandrailError("rate_limited", `Too many ${what}; try again in ${retryAfterSeconds} s.`, {
    details: { limit: what, retryAfterSeconds },
  });
}
