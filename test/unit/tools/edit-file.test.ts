import { expect, test } from "vitest";
import { withShownRows } from "../../../functions/context/render.ts";
import { editFile } from "../../../functions/tools/edit-file.ts";
import { versionOf } from "../../../functions/tools/version-of.ts";
import type { Message } from "../../../shared/message.ts";

const replaceText = { op: "replace_text", old: "a", new: "b" };
const call = (args: object) => {
  if (editFile.kind !== "sandbox") throw new Error("edit_file is done by the sandbox");
  return editFile.toCall({ path: "a.txt", ...args });
};

test("a unique text, and the ends of a file, need no version; rows and all do", () => {
  const append = { op: "append", lines: ["end"] };
  for (const base of [undefined, null, ""])
    expect(call({ base, edits: [replaceText, append] })).toEqual({
      ok: true,
      call: { op: "change", args: { files: [{ path: "a.txt", edits: [replaceText, append] }] } },
    });
  for (const edit of [
    { ...replaceText, all: true },
    { op: "delete", at: "1foo" },
  ])
    expect(call({ edits: [replaceText, edit] })).toMatchObject({
      ok: false,
      issues: [{ path: ["base"], message: expect.stringContaining("such as v3") }],
    });
});

test("a version may be written as in the header", () => {
  for (const base of ["v3", " v3 ", "@v3", "[src/a.ts @v3 lines 1-9 of 9]", "pkg@v1/a.ts @v3"])
    expect(versionOf(base)).toBe("v3");
});

test("rows carry no anchors for a model whose edits are text", () => {
  const message = (name: string, content: string): Message => ({
    ...{ id: name, role: "tool", toolCallId: "c", name, ok: true, createdAt: 0, mode: "normal", content },
  });
  const rows = "[a.txt @v1 lines 1-3 of 3]\n1ans|one\n2url|3ans|two\nzzz|three\n4zz|four";
  const history = [message("read_file", rows), message("run_command", rows)];
  expect(withShownRows(history, "text").map(({ content }) => content)).toEqual([
    "[a.txt @v1 lines 1-3 of 3]\n1|one\n2|3ans|two\nzzz|three\n4zz|four",
    rows,
  ]);
  expect(withShownRows(history, "rows")).toBe(history);
});
