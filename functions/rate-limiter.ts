// Counts requests per key and limits their rate. In memory: each process counts separately and forgets its counts when
// it ends.

/** Whether one more request under `key` may pass; if not, after how many seconds (at least 1) one may. */
export type RateLimiter = (key: string) => Promise<{ ok: true } | { ok: false; retryAfterSeconds: number }>;

/** Groups of requests, each with its own limit (functions/limits.ts). */
export interface RateLimiters {
  /** Requests with the right token. */
  requests: RateLimiter;
  /** Requests with the right token that may cost model calls. */
  turns: RateLimiter;
  /** Requests without the right token, by address. */
  strangers: RateLimiter;
}

/** More keys than this at once mean an attack from many addresses; the oldest keys are forgotten. */
const maxKeys = 10_000;

/**
 * One bucket per key, which holds `perMinute` requests and refills evenly: a burst of that many may pass at once, and
 * `perMinute` on average. `elapsed`: milliseconds of a monotonic clock.
 */
export function createRateLimiter(perMinute: number, elapsed: () => number): RateLimiter {
  const buckets = new Map<string, { left: number; at: number }>();
  const msPerRequest = 60_000 / perMinute;
  return async (key) => {
    const at = elapsed();
    const last = buckets.get(key) ?? { left: perMinute, at };
    const left = Math.min(perMinute, last.left + Math.max(0, at - last.at) / msPerRequest);
    // Deleted and set again, because a Map keeps insertion order: the first key is then the one that was unused for
    // longest.
    buckets.delete(key);
    buckets.set(key, { left: left >= 1 ? left - 1 : left, at });
    for (const oldest of buckets.keys()) {
      if (buckets.size <= maxKeys) break;
      buckets.delete(oldest);
    }
    if (left >= 1) return { ok: true };
    return { ok: false, retryAfterSeconds: Math.ceil(((1 - left) * msPerRequest) / 1000) };
  };
}
