import { expect, test } from "vitest";
import { pairWords } from "../../../pwa/words/pair-words.ts";

test("on a device that was never paired, a wrong token is called wrong", () => {
  expect(pairWords({ refused: true, justTried: true, keepsSessions: false, forgot: false })).toBe(
    "This token is wrong. Open the link that Handrail printed last.",
  );
});

test("a device whose token was replaced keeps its data", () => {
  const words = pairWords({ refused: true, justTried: false, keepsSessions: true, forgot: false });
  expect(words).toContain("What is stored here stays");
});

test("a device whose browser deleted everything is told so, and that the server still has the sessions", () => {
  const words = pairWords({ refused: false, justTried: false, keepsSessions: false, forgot: true });
  expect(words).toContain("has deleted what Handrail kept");
  expect(words).toContain("The server still has the sessions");
});
