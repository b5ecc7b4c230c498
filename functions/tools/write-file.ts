// `write_file`: a whole file, new or in place of a version that was read.
import * as z from "zod/mini";
import { ChangeValue } from "../../shared/sandbox.ts";
import { changeText } from "./change-text.ts";
import { sandboxTool } from "./tool.ts";
import { versionOf } from "./version-of.ts";

const WriteFileArgs = z.strictObject({
  path: z.string(),
  content: z.string(),
  base: z.optional(z.nullable(z.string())),
});

export const writeFile = sandboxTool({
  name: "write_file",
  description: "Write a whole file. base: the version it replaces, if any.",
  schema: WriteFileArgs,
  modes: ["normal", "auto"],
  waits: true,
  call: ({ base, ...file }) => ({
    op: "change",
    args: { files: [{ ...file, base: base && base !== "null" ? versionOf(base) : null }] },
  }),
  value: ChangeValue,
  text: changeText,
  trimming: { digest: "Files changed", argument: "path", maxChars: 200 },
});
