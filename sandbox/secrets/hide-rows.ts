// Redacts a file's secrets where only parts of the file are shown: rows and differences. The whole text is
// examined, because a part of a private key does not look like one. Line numbers and anchors stay those of
// the original lines.
import { parseRow, rowOf } from "../../shared/hashline/rows.ts";
import { splitText } from "../../shared/hashline/text.ts";
import type { Redactor } from "../../shared/redact/redactor.ts";
import * as limits from "../limits.ts";

/** The lines of a text with and without its secrets. Indexes start at 0. */
interface Lines {
  true: readonly string[];
  shown: readonly string[];
}

function linesOf(redactor: Redactor, text: string): Lines | undefined {
  const shown = redactor.redact(text);
  return shown === text ? undefined : { true: splitText(text).lines, shown: splitText(shown).lines };
}

/** `rows` without secrets: hashline text of `text`, or a message that contains such rows. */
export function hideInRows(redactor: Redactor, rows: string, text: string): string {
  const lines = linesOf(redactor, text);
  if (!lines) return rows;
  return rows
    .split("\n")
    .map((row) => hiddenRow(row, lines))
    .join("\n");
}

function hiddenRow(row: string, lines: Lines): string {
  const parsed = parseRow(row);
  if (!parsed) return row;
  const { line, anchor } = parsed;
  const [is, shown] = [lines.true[line - 1], lines.shown[line - 1]];
  const prefix = `${line}${anchor}|`;
  if (is === undefined || shown === undefined || is === shown) return row;
  if (!rowOf(line, is).startsWith(prefix)) return row;
  return prefix + rowOf(line, shown, limits.lineChars).slice(prefix.length);
}

/** A unified difference between `before` and `after` without secrets, matched by line numbers. */
export function hideInDiff(redactor: Redactor, diff: string, before: string, after: string): string {
  const [old, now] = [linesOf(redactor, before), linesOf(redactor, after)];
  if (!old && !now) return diff;
  let [oldLine, newLine, inHunks] = [0, 0, false];
  const shown = (sign: string, lines: Lines | undefined, index: number, line: string) =>
    lines === undefined || lines.true[index] === lines.shown[index] ? line : sign + lines.shown[index];
  return diff
    .split("\n")
    .map((line) => {
      const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
      if (hunk) {
        // An empty range names the line before it.
        oldLine = Number(hunk[1]) - (hunk[2] === "0" ? 0 : 1);
        newLine = Number(hunk[3]) - (hunk[4] === "0" ? 0 : 1);
        inHunks = true;
        return line;
      }
      if (!inHunks) return line;
      if (line.startsWith("-")) return shown("-", old, oldLine++, line);
      if (line.startsWith("+")) return shown("+", now, newLine++, line);
      if (!line.startsWith(" ")) return line;
      oldLine += 1;
      return shown(" ", now, newLine++, line);
    })
    .join("\n");
}
