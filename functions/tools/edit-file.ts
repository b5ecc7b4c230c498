// `edit_file`: edits of one file by row references, or by text for models that do better with it.
import * as z from "zod/mini";
import { Edit } from "../../shared/hashline/edit.ts";
import { ChangeValue } from "../../shared/sandbox.ts";
import { changeText } from "./change-text.ts";
import { sandboxTool } from "./tool.ts";
import { versionOf } from "./version-of.ts";

const EditFileArgs = z.strictObject({
  path: z.string(),
  base: z.string().check(z.describe("such as v3")),
  // Not shown: no model sends an empty list, and the words would be paid for in every request.
  edits: z.array(Edit).check(z.minLength(1), z.meta({ minItems: undefined })),
});

const rows = z.optional(z.array(z.string()));
const row = z.optional(z.string());

/** What a model is shown whose edits are rows: the kinds as one, and what the system message says once. */
const ShownEdit = z.object({
  op: z.enum(["replace", "delete", "insert_before", "insert_after", "append", "prepend", "replace_text"]),
  at: row,
  to: row,
  lines: rows,
  old: z.optional(z.string()),
  new: z.optional(z.string()),
  all: z.optional(z.boolean()),
});

/** What a model whose edits are set to `text` is shown; every edit is understood, whatever is shown. */
const ShownTextEdit = z.object({
  op: z.enum(["replace_text", "append", "prepend"]),
  old: z.optional(
    z.string().check(z.describe("text to replace, exactly as it stands; once in the file unless all")),
  ),
  new: z.optional(z.string()),
  all: z.optional(z.boolean()),
  lines: z.optional(z.array(z.string())),
});

export const editFile = sandboxTool({
  name: "edit_file",
  description:
    "Edit a file by row references of the version read (base), whatever the order of edits. replace: at, to?, lines; delete: at, to?; insert_before, insert_after: at, lines; append, prepend: lines; replace_text: old, new, all?. All or nothing.",
  schema: EditFileArgs,
  shownSchema: z.object({ path: z.string(), base: z.string(), edits: z.array(ShownEdit) }),
  shownAsText: {
    description: "Edit one file of the version that was read (base) by replacing text. All or nothing.",
    schema: z.object({ path: z.string(), base: z.string(), edits: z.array(ShownTextEdit) }),
  },
  modes: ["normal", "auto"],
  waits: true,
  call: ({ base, ...file }) => ({ op: "change", args: { files: [{ ...file, base: versionOf(base) }] } }),
  value: ChangeValue,
  text: changeText,
  trimming: { digest: "Files changed", argument: "path", maxChars: 200 },
});
