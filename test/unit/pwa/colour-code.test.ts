import { expect, test } from "vitest";
import { colourCode } from "../../../pwa/markdown/colour-code.ts";

test.each(["ts", "typescript", "TypeScript"])(
  "a fence marked %s is coloured, and keeps its text",
  (fence) => {
    const text = "const a = 1; // one\n\nreturn a;\n";
    const tokens = colourCode(fence, text);
    expect(tokens?.map((token) => token.text).join("")).toBe(text);
    expect(tokens?.map(({ kind }) => kind)).toContain("comment");
  },
);

test("a fence of no known language stays plain", () => {
  expect(colourCode("nonsense", "const")).toBeUndefined();
});
