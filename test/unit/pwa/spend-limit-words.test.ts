import { expect, test } from "vitest";
import { spendLimitWords } from "../../../pwa/words/spend-limit-words.ts";

const ended = { next: 0.04, leftThen: 0.02 };

test("a limit of the server is not said to have room, which this device cannot know", () => {
  expect(spendLimitWords({ ...ended, left: undefined })).toEqual({
    words: "A spending limit ended this turn.",
    canContinue: true,
  });
});

test.each([
  ["as it was", 0.02],
  ["raised, but not enough for the next request", 0.03],
  ["lowered since", 0],
])("a limit that is %s is reached", (_how, left) => {
  expect(spendLimitWords({ ...ended, left })).toEqual({
    words: "The spending limit is reached.",
    canContinue: false,
  });
});

test("a limit that was raised has room again", () => {
  expect(spendLimitWords({ ...ended, left: 5 })).toEqual({
    words: "The spending limit has room again.",
    canContinue: true,
  });
});

test("room for the next request that was there before is no new room: something else ended the turn", () => {
  expect(spendLimitWords({ next: 0.04, leftThen: 3, left: 3 }).canContinue).toBe(false);
});
