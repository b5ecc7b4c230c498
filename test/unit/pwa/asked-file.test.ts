// The phone's description of an edit that needs approval.
import { expect, test } from "vitest";
import { askedFile, editWords } from "../../../pwa/transcript/asked-file.tsx";

test("every edit of a waiting call is described, a move with its target", () => {
  const edits = [
    { op: "replace", at: "2abc", to: "3def", lines: ["x"] },
    { op: "delete", at: "2abc" },
    { op: "insert_before", at: "2abc", lines: ["x"] },
    { op: "insert_after", at: "2abc", lines: ["x"] },
    { op: "move", at: "2abc", to: "3def", before: "9ghi" },
    { op: "move", at: "2abc", after: "9ghi" },
    { op: "append", lines: ["x"] },
    { op: "prepend", lines: ["x"] },
    { op: "replace_text", old: "a", new: "b" },
  ];
  const asked = askedFile("edit_file", JSON.stringify({ path: "a.ts", edits }));
  expect(asked?.edits?.map((edit) => editWords(edit).does)).toEqual([
    "Replaces lines 2abc to 3def by",
    "Deletes line 2abc",
    "Adds before line 2abc",
    "Adds after line 2abc",
    "Moves lines 2abc to 3def to before line 9ghi",
    "Moves line 2abc to after line 9ghi",
    "Adds at its end",
    "Adds at its beginning",
    "Replaces",
  ]);
});
