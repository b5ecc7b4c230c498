import { expect, test } from "vitest";
import { pairWords } from "../../../pwa/state/pair-words.ts";

test("a wrong token on a device that was never paired is called wrong", () => {
  expect(pairWords({ refused: true, justTried: true, keepsSessions: false })).toBe(
    "This token is not right. Open the link that Handrail printed last.",
  );
});

test("a device whose token was replaced keeps what it has", () => {
  const words = pairWords({ refused: true, justTried: false, keepsSessions: true });
  expect(words).toContain("What is kept here stays");
});
