import { expect, test } from "vitest";
import { plainWords, planInWords, withoutStepIds } from "../../../pwa/words/plain-words.ts";

test("an excerpt has the text of markdown without its marks", () => {
  const text =
    "Both hold.\n\n- per token: **100 a minute**\n\n```ts\nconst gate = await `x`;\n```\n2 * 3, a[1](x) [the README](https://example.org/a)";
  expect(plainWords(text)).toBe(
    "Both hold. - per token: 100 a minute const gate = await x; 2 * 3, a[1](x) the README",
  );
});

test("a plan's text is found and quoted as its card shows it", () => {
  const markdown =
    "# Goal\nLimit per token\n\n# Plan\n1. [s1] Add it\n   - action: in `a.ts`\n   - check (90 s): npm test -- a\n   - on fail: stop\n2. [s4] Use it\n\n# Notes\n[s4] stays";
  expect(plainWords(planInWords(markdown)).trim()).toBe(
    "Limit per token 1. Add it in a.ts npm test -- a 2. Use it [s4] stays",
  );
});

test("comments on steps are shown with the steps' numbers, and other brackets stay", () => {
  const text = "Approved. Go ahead.\nOn step 1 (s1): shorter (s2)\nOn step 2 (s2), “it”: no";
  expect(withoutStepIds(text)).toBe("Approved. Go ahead.\nOn step 1: shorter (s2)\nOn step 2, “it”: no");
});
