// The messages for common mistakes of models, which should make the next edit right.
import { describe, expect, test } from "vitest";
import { anchorOf } from "../../../shared/hashline/anchor.ts";
import { applyEdits } from "../../../shared/hashline/apply.ts";
import { readContent } from "../../../shared/hashline/whole-file.ts";

const live = "one\n  two\n  three\nfour\nfive\n";
const at = (line: number) => `${line}${anchorOf(live.split("\n")[line - 1] ?? "")}`;

describe("an edit", () => {
  test("with a bare number as reference is shown the rows around that line", () => {
    const result = applyEdits({
      live,
      path: "a",
      version: "v1",
      edits: [{ op: "replace", at: "3", lines: ["x"] }],
    });
    expect(result).toMatchObject({ ok: false, reason: "bad_reference" });
    expect(result.ok ? "" : result.message).toContain(`${at(3)}|  three`);
  });

  test("that was already made says so, even against the version before it", () => {
    const edits = [{ op: "replace" as const, at: at(2), lines: ["  TWO"] }];
    const done = applyEdits({ live, edits });
    const again = applyEdits({ live: done.ok ? done.text : "", base: live, edits });
    expect(again.ok ? "" : again.message).toContain("already applied");
    const inserted = [{ op: "insert_after" as const, at: at(4), lines: ["four and a half"] }];
    const first = applyEdits({ live, edits: inserted });
    const twice = applyEdits({ live: first.ok ? first.text : "", base: live, edits: inserted });
    expect(twice).toMatchObject({ ok: false, reason: "no_change" });
  });

  test("of text that was already replaced says so and shows where", () => {
    const edits = [{ op: "replace_text" as const, old: "  two", new: "  twenty-two" }];
    const again = applyEdits({ live: live.replace("  two", "  twenty-two"), edits });
    expect(again.ok ? "" : again.message).toMatch(/already applied.*twenty-two/s);
  });

  test("that loses the indentation of what it replaces gets a warning", () => {
    const lost = applyEdits({
      live,
      edits: [{ op: "replace", at: at(2), to: at(3), lines: ["two", "three"] }],
    });
    expect(lost.ok ? lost.warnings.join() : "").toContain("indented by 2");
    const kept = applyEdits({ live, edits: [{ op: "replace", at: at(2), to: at(3), lines: ["  2", "3"] }] });
    expect(kept.ok ? kept.warnings : ["refused"]).toEqual([]);
    const fine = applyEdits({ live, edits: [{ op: "replace", at: at(2), lines: ["    2"] }] });
    expect(fine.ok ? fine.warnings : ["refused"]).toEqual([]);
  });
});

describe("rewriting a whole file", () => {
  const long = "a\nb\nc\nd\ne\nf\n";
  test.each([
    "// ... rest of the code",
    "# ... existing code ...",
    "/* ... the rest is unchanged */",
    "// rest of the file unchanged",
    "... (remaining code)",
    "<!-- rest of the code here -->",
  ])("that is shorter and contains %s is refused", (line) => {
    expect(readContent(`a\n${line}\n`, long).refusal?.text).toContain("would lose 4 of its 6 lines");
  });

  test.each([
    ["is longer", `${long}// ... rest of the code\ng\n`, long],
    ["had the comment before", "a\n// ... rest of the code\n", `a\n// ... rest of the code\n${long}`],
    ["spreads the rest", "f(...rest);\nconst { a, ...remaining } = b;\n", long],
    ["speaks of the rest", "// Rest parameters are not supported\na\n", long],
  ])("that %s is written", (_, content, was) => {
    expect(readContent(content, was).refusal).toBeNull();
  });
});
