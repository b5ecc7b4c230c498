import { expect, test } from "vitest";
import { binnedInWords } from "../../../pwa/words/bin-words.ts";

const day = 86_400_000;
const now = 1_000 * day;

test.each([
  ["just deleted", now, "gone in 30 days"],
  ["two days ago", now - 2 * day, "gone in 28 days"],
  ["in its last hours", now - 29.9 * day, "gone in 1 day"],
  ["overdue, until the next start removes it", now - 40 * day, "gone in 1 day"],
  ["deleted before the clock was set back by a year", now + 365 * day, "gone in 30 days"],
])("%s", (_when, deletedAt, words) => {
  expect(binnedInWords(deletedAt, now)).toBe(words);
});
