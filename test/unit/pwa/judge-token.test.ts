// A pairing token is tried before it replaces another.
import { expect, test } from "vitest";
import { judgeToken } from "../../../pwa/app/judge-token.ts";
import { HandrailError } from "../../../shared/errors.ts";

/** A server that accepts the tokens in `works`; undefined = it cannot be reached. */
const server = (works: readonly string[] | undefined) => async (token: string) => {
  if (works === undefined) throw new TypeError("failed to fetch");
  if (!works.includes(token)) throw new HandrailError("unauthorized", "not the server's");
};

test.each([
  ["a device that has none takes one that works", "new", null, ["new"], "take"],
  ["a device that has none keeps one that could not be tried", "new", null, undefined, "take"],
  ["a wrong one is refused", "x", null, ["old"], "refused"],
  ["a wrong one never replaces another, whatever that is worth", "x", "old", [], "refused"],
  ["a wrong one never replaces one that works", "x", "old", ["old"], "refused"],
  ["one that cannot be tried never replaces another", "new", "old", undefined, "untried"],
  ["one that works replaces one that does not any more", "new", "old", ["new"], "take"],
  ["one that works asks if the other works too", "new", "old", ["new", "old"], "ask"],
  ["the same again changes nothing", "old", "old", ["old"], "take"],
  ["one that no header can hold is refused without a request", "a\u202eb", "old", undefined, "refused"],
  ["two lines are refused", "a\nb", "old", undefined, "refused"],
  ["an empty one is refused", "", "old", undefined, "refused"],
] as const)("%s", async (_, token, kept, works, judgement) => {
  expect(await judgeToken(token, kept, server(works))).toBe(judgement);
});
