// The three ways of counting that the demo offers, and the code for each of them.

export interface LimitWindow {
  /** Name of the function that creates the limiter. */
  maker: string;
  label: string;
  description: string;
  /** Matches its name in a person's text. The patterns are strict: a leaky bucket is not a token bucket. */
  words: RegExp;
  /** The function's lines, which are added after the existing limiter; empty if the existing one is enough. */
  code: string[];
}

const sliding: LimitWindow = {
  maker: "slidingWindow",
  label: "Sliding window",
  description: "Smooth: never more than 100 in any 60 seconds; keeps the times of recent requests",
  words: /sliding\W?window/i,
  code: [
    "",
    "/** At most limit requests of a key in any span of windowMs: the times of the last ones are kept. */",
    "export function slidingWindow({ limit, windowMs, now }) {",
    "  const timesByKey = new Map();",
    "",
    "  return {",
    "    take(key) {",
    "      const time = now();",
    "      const times = (timesByKey.get(key) ?? []).filter((at) => time - at < windowMs);",
    "      timesByKey.set(key, times);",
    "      if (times.length >= limit) {",
    "        return { ok: false, retryAfterMs: times[0] + windowMs - time };",
    "      }",
    "      times.push(time);",
    "      return { ok: true, retryAfterMs: 0 };",
    "    },",
    "  };",
    "}",
  ],
};

const fixed: LimitWindow = {
  maker: "fixedWindow",
  label: "Fixed minute",
  description: "Simplest: reuses what is there, but allows a double burst where two minutes meet",
  words: /fixed\W?(minute|window)/i,
  code: [],
};

const bucket: LimitWindow = {
  maker: "tokenBucket",
  label: "Token bucket",
  description: "Allows a burst of 100, then one request every 0.6 seconds",
  words: /token\W?bucket/i,
  code: [
    "",
    "/** Lets a burst of limit requests of a key through, then refills evenly over windowMs. */",
    "export function tokenBucket({ limit, windowMs, now }) {",
    "  const buckets = new Map();",
    "  const refillMs = windowMs / limit;",
    "",
    "  return {",
    "    take(key) {",
    "      const time = now();",
    "      const bucket = buckets.get(key) ?? { left: limit, time };",
    "      bucket.left = Math.min(limit, bucket.left + (time - bucket.time) / refillMs);",
    "      bucket.time = time;",
    "      buckets.set(key, bucket);",
    "      if (bucket.left < 1) {",
    "        return { ok: false, retryAfterMs: Math.ceil((1 - bucket.left) * refillMs) };",
    "      }",
    "      bucket.left -= 1;",
    "      return { ok: true, retryAfterMs: 0 };",
    "    },",
    "  };",
    "}",
  ],
};

export const limitWindows: readonly LimitWindow[] = [sliding, fixed, bucket];
export const defaultWindow = sliding;

/** The last window that `text` names, because people also say "not fixed, sliding". */
export function namedWindow(text: string): LimitWindow | undefined {
  let best: { at: number; window: LimitWindow } | undefined;
  for (const window of limitWindows) {
    const at = text.search(window.words);
    if (at >= 0 && at > (best?.at ?? -1)) best = { at, window };
  }
  return best?.window;
}

/** The window with exactly the label `text`, ignoring case. */
export function exactWindow(text: string): LimitWindow | undefined {
  return limitWindows.find(({ label }) => label.toLowerCase() === text.trim().toLowerCase());
}

/** The window whose function `text` names first. */
export function madeWindow(text: string): LimitWindow | undefined {
  const maker = /slidingWindow|fixedWindow|tokenBucket/.exec(text)?.[0];
  return limitWindows.find((window) => window.maker === maker);
}
