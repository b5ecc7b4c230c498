// `list_files`: the tree of the workspace as far as git does not ignore it.
import * as z from "zod/mini";
import { ListArgs, ListValue } from "../../shared/sandbox.ts";
import { gapWithRemedy, sized, type ValueText, withNote } from "../calls/result-text.ts";
import { sandboxTool } from "./tool.ts";

const { path, depth, glob } = ListArgs.shape;

export const listFiles = sandboxTool({
  name: "list_files",
  description: "List files that git does not ignore.",
  schema: z.strictObject({ path, depth, glob }),
  modes: ["normal", "plan", "auto"],
  reads: true,
  call: (args) => ({ op: "list", args }),
  value: ListValue,
  text: entriesText,
});

export function entriesText({ entries, truncated }: ListValue): ValueText {
  const rows = entries.map(({ path, type, size }) => (type === "dir" ? `${path}/` : `${path} ${size}`));
  const text = withNote(
    rows.join("\n") || "(empty)",
    truncated,
    "more entries: narrow with path, glob or depth",
  );
  return {
    text: sized(text, gapWithRemedy("narrow with path, glob or depth")),
    facts: { entries: entries.length },
  };
}
