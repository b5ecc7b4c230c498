import { expect, test } from "vitest";
import { defaultLowWater } from "../../../functions/compaction/choose-losses.ts";
import { runOurs } from "../../bench/cost-ours.ts";
import { sessionRounds } from "../../bench/cost-session.ts";

/** About nine tokens a line, as in source code. */
const files = Array.from({ length: 60 }, (_, file) => ({
  path: `src/part${file}.ts`,
  text: Array.from({ length: 40 + ((file * 37) % 280) }, (_, line) =>
    line % 3 === 0 ? "\n" : `  const value${line} = compute(${file}, options);\n`,
  ).join(""),
}));

// A provider bills the part of a request that differs from the previous one in full, so the kept prefix
// matters.
test.each([
  [128_000, 0.97],
  [32_000, 0.9],
])(
  "in 300 rounds with a window of %i tokens, the share of requests that keep nine tenths of their prefix is %f",
  (window, share) => {
    const { account, planWhole } = runOurs(sessionRounds(300, files), window, defaultLowWater);
    expect(account).toMatchObject({ refused: 0, requests: 300 });
    expect(account.kept / account.requests).toBeGreaterThanOrEqual(share);
    expect(planWhole).toBe(true);
  },
);
