// The op `read`: rows of one text file.
import { HandrailError } from "../../shared/errors.ts";
import { renderRows } from "../../shared/hashline/rows.ts";
import type { ReadArgs, ReadValue } from "../../shared/sandbox.ts";
import { limits } from "../limits.ts";
import { relativePath } from "../paths/relative-path.ts";
import { readTextFile } from "../paths/text-file.ts";
import { hideInRows } from "../secrets/hide-rows.ts";
import type { OpContext } from "./op-context.ts";

export async function read(args: ReadArgs, { server, sandbox: { folder } }: OpContext): Promise<ReadValue> {
  const path = relativePath(args.path);
  const file = await readTextFile(folder.root, path);
  const version = await folder.versions.idOf(file.path, file.bytes);
  const { start, end } = args;
  if (start !== undefined && end !== undefined && end < start) {
    throw new HandrailError(
      "invalid_request",
      `end (${end}) stands before start (${start}). Give the first line first.`,
    );
  }
  const shown = renderRows(file.text, {
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
    maxRows: limits.readRows,
    maxChars: limits.readChars,
    maxLineChars: limits.lineChars,
  });
  if (start !== undefined && start > Math.max(1, shown.total)) {
    throw new HandrailError(
      "invalid_request",
      `${path} has ${shown.total} lines; start is ${start}. Ask for lines that exist.`,
      {
        details: { total: shown.total },
      },
    );
  }
  return {
    path,
    version,
    start: shown.start,
    end: shown.end,
    total: shown.total,
    rows: hideInRows(server.redactor, shown.rows, file.text),
    truncated: shown.truncated,
  };
}
