import { expect, test } from "vitest";
import { spentInWords } from "../../../pwa/words/model-words.ts";

const spent = { inputTokens: 12_000, outputTokens: 900, cachedTokens: 0 };

test("tokens without a known price say so, and are never $0.00", () => {
  const words = spentInWords({ ...spent, cost: 0 });
  expect(words).toContain("price unknown");
  expect(words).not.toContain("$");
});

test("tokens with a price show it, however small", () => {
  expect(spentInWords({ ...spent, cost: 0.42 })).toContain("$0.42");
  expect(spentInWords({ ...spent, cost: 0.00034 })).toContain("$0.00034");
});
