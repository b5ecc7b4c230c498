// Counts requests per key and says when one is too many. In memory: each process counts for itself and forgets at its end.

/** Whether one more request under `key` may pass; if not, seconds (at least 1) until one may. */
export type RateLimiter = (key: string) => Promise<{ ok: true } | { ok: false; retryAfterSeconds: number }>;

/** Which requests are counted together, each with a limit of its own (functions/limits.ts). */
export interface RateLimiters {
  /** With the right token. */
  requests: RateLimiter;
  /** With the right token, and each may cost model calls. */
  turns: RateLimiter;
  /** From an address without the right token. */
  strangers: RateLimiter;
}

/** More keys than this at once are an attack of many addresses; the oldest are forgotten. */
const maxKeys = 10_000;

/**
 * A bucket per key that holds `perMinute` requests and fills evenly: a burst of that many passes at once, and
 * `perMinute` in the long run. `elapsed`: milliseconds of a monotonic clock.
 */
export function createRateLimiter(perMinute: number, elapsed: () => number): RateLimiter {
  const buckets = new Map<string, { left: number; at: number }>();
  const msPerRequest = 60_000 / perMinute;
  return async (key) => {
    const at = elapsed();
    const last = buckets.get(key) ?? { left: perMinute, at };
    const left = Math.min(perMinute, last.left + Math.max(0, at - last.at) / msPerRequest);
    // Delete and set again: a Map keeps insertion order, so the first key is the one unused for longest.
    buckets.delete(key);
    buckets.set(key, { left: left >= 1 ? left - 1 : left, at });
    for (const oldest of buckets.keys()) {
      if (buckets.size <= maxKeys) break;
      buckets.delete(oldest);
    }
    if (left >= 1) return { ok: true };
    return { ok: false, retryAfterSeconds: Math.max(1, Math.ceil(((1 - left) * msPerRequest) / 1000)) };
  };
}
