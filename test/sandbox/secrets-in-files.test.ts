// Rows and differences of files that contain secrets, whatever surrounds them.
import fc from "fast-check";
import { expect, test } from "vitest";
import { diffRedactor } from "../../sandbox/secrets/diff-redactor.ts";
import { hideInDiff, hideInRows } from "../../sandbox/secrets/hide-rows.ts";
import { unifiedDiff } from "../../shared/hashline/diff.ts";
import { renderRows } from "../../shared/hashline/rows.ts";
import { createRedactor } from "../../shared/redact/redactor.ts";

const redactor = createRedactor([]);
const letters = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7".repeat(3);
const token = ["ghp", letters.slice(0, 36)].join("_");
const key = [
  "-----BEGIN PRIVATE KEY-----",
  ...["x", "y", "z"].map((first) => first + letters.slice(0, 63)),
  "-----END PRIVATE KEY-----",
];
const block = fc.constantFrom([`-- T=${token}`], key, ["++ plus"], ["same"], ["other"], [""]);
const text = fc
  .tuple(fc.array(block, { maxLength: 12 }), fc.constantFrom("\n", "\r\n"), fc.boolean())
  .map(([blocks, lineEnd, ended]) => blocks.flat().join(lineEnd) + (ended ? lineEnd : ""));

test("a diff shows each line as its whole file shows it, signs and number of lines kept", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = unifiedDiff(before, after, "f", "f").split("\n");
      const shown = hideInDiff(redactor, diff.join("\n"), before, after).split("\n");
      expect(shown).toHaveLength(diff.length);
      for (const [index, line] of shown.entries()) {
        if (line === diff[index]) continue;
        expect(line[0]).toBe(diff[index]?.[0]);
        expect(line).toContain("[redacted: ");
      }
      expect(shown.join("\n")).not.toContain(token);
      for (const line of key.slice(1, -1)) expect(shown.join("\n")).not.toContain(line);
    }),
    { numRuns: 1_000 },
  );
});

test("a row is that of its line in the whole file, wherever the rows start, with the anchor of the real line", () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 9 }), (whole, start) => {
      const { rows } = renderRows(whole, { start });
      const lines = redactor.redact(whole).split("\n");
      const shown = hideInRows(redactor, rows, whole).split("\n");
      for (const [index, row] of rows.split("\n").entries()) {
        const prefix = /^(\d+)[a-z]{3}\|/.exec(row);
        if (prefix)
          expect(shown[index]).toBe(prefix[0] + (lines[Number(prefix[1]) - 1] ?? "").replace(/\r$/, ""));
      }
    }),
    { numRuns: 1_000 },
  );
});

test("the end of a private key is hidden without its beginning, and long word lists before other endings stay", () => {
  const lists = diffRedactor(redactor);
  const [, one = "", two = "", three = "", end = ""] = key;
  const mark = "[redacted: private key]";
  const shown = lists.redact(["a word", "word", one, two, `${three}\r`, end, "word"].join("\n"));
  expect(shown).toBe(["a word", "word", mark, mark, `${mark}\r`, end, "word"].join("\n"));
  // Searching for the end of a key from each of these lines would take forever.
  const words = `${"word\n".repeat(500_000)}the end\n${end}\n`;
  expect(lists.redact(words) === words).toBe(true);
});
