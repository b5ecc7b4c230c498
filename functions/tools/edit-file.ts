// `edit_file`: edits of one file by row references, or by text for models that do better with it.
import * as z from "zod/mini";
import { Edit } from "../../shared/hashline/edit.ts";
import { ChangeValue } from "../../shared/sandbox.ts";
import { changeText } from "./change-text.ts";
import { sandboxTool } from "./tool.ts";
import { versionOf } from "./version-of.ts";

const EditFileArgs = z
  .strictObject({
    path: z.string(),
    base: z.optional(z.nullable(z.string())),
    edits: z.array(Edit).check(z.minLength(1)),
  })
  .check(
    z.refine(({ base, edits }) => hasVersion(base) || edits.every(needsNoBase), {
      path: ["base"],
      error: "is missing: it is the version that was read, such as v3",
    }),
  );

function hasVersion(base: string | null | undefined): base is string {
  return typeof base === "string" && base.trim() !== "" && base !== "null";
}

/** Text that occurs once, and the ends of a file, can be found without knowing the version. */
function needsNoBase(edit: Edit): boolean {
  return edit.op === "replace_text" ? edit.all !== true : edit.op === "append" || edit.op === "prepend";
}

const lines = z.optional(z.array(z.string()));
const text = z.optional(z.string());

/** Shown to models that edit by rows: the kinds as one, with their names in the description. */
const ShownEdit = z.object({
  ...{ op: text, at: text, to: text, before: text, after: text, lines },
  ...{ old: text, new: text, all: z.optional(z.boolean()) },
});

/** Shown to models with edits set to `text`; every form of edit is accepted nevertheless. */
const ShownTextEdit = z.object({
  op: z.enum(["replace_text", "append", "prepend"]),
  old: z.optional(z.string().check(z.describe("exact text of the file; once in it unless all"))),
  new: text,
  all: z.optional(z.boolean()),
  lines,
});

const base = text;

export const editFile = sandboxTool({
  name: "edit_file",
  description:
    "Edit a file. replace: at, to?, lines; delete: at, to?; move: at, to?, before or after; insert_before, insert_after: at, lines; append, prepend: lines; replace_text: old, new, all?. References mean rows of base, in any order; unique text needs no base.",
  schema: EditFileArgs,
  shownSchema: z.object({ path: z.string(), base, edits: z.array(ShownEdit) }),
  shownAsText: {
    description:
      "Edit a file by replacing text. Every old is looked for in the file as it was before this call: none sees another edit of it. base (the version read) is needed with all only. All or nothing.",
    schema: z.object({ path: z.string(), base, edits: z.array(ShownTextEdit) }),
  },
  modes: ["normal", "auto"],
  waits: true,
  call: ({ base: read, ...file }) => ({
    op: "change",
    args: { files: [{ ...file, ...(hasVersion(read) ? { base: versionOf(read) } : {}) }] },
  }),
  value: ChangeValue,
  text: changeText,
  trimming: { digest: "Files changed", argument: "path", maxChars: 200 },
});
