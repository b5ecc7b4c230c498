// `read_file`: rows of one text file, with the references that edits name.
import { ReadArgs, ReadValue } from "../../shared/sandbox.ts";
import type { Gap } from "../calls/clip.ts";
import { sized, type ValueText, withNote } from "../calls/result-text.ts";
import { sandboxTool } from "./tool.ts";

export const readFile = sandboxTool({
  name: "read_file",
  description: "Read a text file.",
  schema: ReadArgs,
  modes: ["normal", "plan", "auto"],
  reads: true,
  call: (args) => ({ op: "read", args }),
  value: ReadValue,
  text: rowsText,
  trimming: { digest: "Files read", argument: "path", maxChars: 200 },
});

function rowsText({ path, version, start, end, total, rows, truncated }: ReadValue): ValueText {
  const text = withNote(
    `[${path} @${version} lines ${start}-${end} of ${total}]\n${rows}`,
    truncated && end < total,
    `lines ${end + 1}-${total} not shown: read on with start=${end + 1}`,
  );
  // The header is the first line, so the row of line `start` has index 1.
  const missingRows = ({ from, lines }: Gap): string => {
    const first = start + from - 1;
    const last = first + lines - 1;
    return `[… lines ${first}-${last} not shown: read them with start=${first}, end=${last} …]`;
  };
  return { text: sized(text, missingRows), facts: { path, start, end, total } };
}
