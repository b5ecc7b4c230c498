import { expect, test } from "vitest";
import { plainWords } from "../../../pwa/words/plain-words.ts";

test("an excerpt has the words of markdown and not its marks", () => {
  const text =
    "Both hold.\n\n- per token: **100 a minute**\n\n```ts\nconst gate = await `x`;\n```\n2 * 3, a[1](x) [the README](https://example.org/a)";
  expect(plainWords(text)).toBe(
    "Both hold. - per token: 100 a minute const gate = await x; 2 * 3, a[1](x) the README",
  );
});
