// Edits of a model that sees rows without anchors: it names rows by number and copies their texts.
import { expect, test } from "vitest";
import { takenAnyway, wholeFault } from "../../../functions/model/text-calls/wrong-arguments.ts";
import { findTool } from "../../../functions/tools/tool-index.ts";

const read = [
  "[src/a.js @v1 lines 1-3 of 3]",
  "1foo|// a",
  "2bar|let a = 1;",
  "3baz|\tlet b = 2;",
  "[src/other.js @v7 lines 2 of 9]",
  "2qux|let c;",
].join("\n");

function edited(edit: Record<string, unknown>, base?: string, results = [read]): unknown {
  const args = { path: "src/a.js", ...(base ? { base } : {}), edits: [edit] };
  const taken = takenAnyway("edit_file", args, [], results, results);
  return Array.isArray(taken?.value.edits) ? taken.value.edits[0] : undefined;
}

test("a row that was shown is found by its number, in that file and version", () => {
  const insert = { op: "insert_after", at: "2", lines: ["let x;"] };
  expect(edited(insert, "v1")).toEqual({ ...insert, at: "2bar" });
  expect(edited(insert, "@v1")).toEqual({ ...insert, at: "2bar" });
  expect(edited(insert)).toEqual({ ...insert, at: "2bar" });
  expect(edited({ op: "move", at: "1", to: "2", after: "3" }, "v1")).toEqual({
    ...{ op: "move", at: "1foo", to: "2bar", after: "3baz" },
  });
});

test("a row that was not shown, or of another version, stays as written", () => {
  const insert = { op: "insert_after", at: "9", lines: [] };
  expect(edited(insert, "v1")).toEqual(insert);
  expect(edited({ ...insert, at: "2" }, "v2")).toEqual({ ...insert, at: "2" });
  expect(edited({ ...insert, at: "2" }, "v1", ["[src/other.js @v1 lines 2 of 9]\n2qux|let c;"])).toEqual({
    ...insert,
    at: "2",
  });
});

test("text copied with row numbers is used without them", () => {
  const copied = {
    op: "replace_text",
    old: "2|let a = 1;\n3|\tlet b = 2;",
    new: "2|let a = 2;\n3|\tlet b = 2;\nlet c;",
  };
  expect(edited(copied)).toEqual({
    ...{ op: "replace_text", old: "let a = 1;\n\tlet b = 2;", new: "let a = 2;\n\tlet b = 2;\nlet c;" },
  });
  const table = { op: "replace_text", old: "2|two", new: "2|zwei" };
  expect(edited(table)).toEqual(table);
});

test("an example of an edit has the intended file and version", () => {
  const args = { path: "src/a.js", edits: [{ op: "insert_after", at: "2" }] };
  const tried = findTool("edit_file");
  const made = tried?.kind === "sandbox" ? tried.toCall(args) : undefined;
  const issues = made?.ok === false ? made.issues : [];
  const text = wholeFault("edit_file", args, issues, { results: [read], byText: true });
  expect(text).toContain(
    '{"tool":"edit_file","args":{"path":"src/a.js","base":"v1","edits":[{"op":"insert_after"',
  );
});

test("a model whose edits are text is told which kinds it was shown", () => {
  const text = wholeFault("edit_file", { path: "a", code_edit: "x" }, [], { byText: true });
  expect(text).toContain("an edit takes replace_text: old, new, all?; append: lines; prepend: lines.");
});
