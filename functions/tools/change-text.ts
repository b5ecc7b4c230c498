// What tools that change files report: the new version, warnings, and the current rows.
import type { ChangedFile, ChangeValue } from "../../shared/sandbox.ts";
import { clip, gapWithRemedy, sized, type ValueText } from "../calls/result-text.ts";
import * as limits from "../limits.ts";

export function changeText({ files }: ChangeValue): ValueText {
  const facts = files.map(({ path, added, removed, diff }) => ({
    path,
    added,
    removed,
    diff: clip(diff, limits.maxFactDiffBytes),
  }));
  return {
    text: sized(files.map(fileText).join("\n"), gapWithRemedy("read the file for them")),
    facts: { files: facts },
  };
}

/** This much shows whether the right rows were removed; git diff shows the rest. */
const removedRows = 6;
const removedChars = 120;

function fileText({ path, version, added, removed, warnings, rows, diff }: ChangedFile): string {
  const now = version === null ? `${path} is gone` : `[${path} @${version}] +${added} -${removed}`;
  const gone = version === null || rows === "" ? [] : goneRows(diff);
  const all = [...warnings, ...(rows === "" ? [] : otherIndentation(diff))];
  return [now, ...all.map((warning) => `warning: ${warning}`), rows, ...gone]
    .filter((line) => line !== "")
    .join("\n");
}

/** The first rows that the change removed, as the unified `diff` has them. */
function goneRows(diff: string): string[] {
  const gone = diff.split("\n").filter((line) => line.startsWith("-") && !line.startsWith("--- "));
  if (gone.length === 0) return [];
  const shown = gone
    .slice(0, removedRows)
    .map((line) => (line.length > removedChars ? `${line.slice(0, removedChars)}…` : line));
  const more = gone.length - shown.length;
  return ["removed:", ...shown, ...(more > 0 ? [`… and ${more} more`] : [])];
}

/** New lines that begin with spaces where all others of the unified `diff` begin with tabs, or the other way round. */
function otherIndentation(diff: string): string[] {
  const begins = (mark: RegExp, indent: string) =>
    diff.split("\n").some((line) => mark.test(line) && line.startsWith(indent, 1));
  const isOther = (mine: string, theirs: string) =>
    begins(/^\+/, mine) && begins(/^[ -]/, theirs) && !begins(/^[ -]/, mine);
  if (isOther("  ", "\t")) return ["the new lines are indented by spaces, and those around them by tabs"];
  return isOther("\t", "  ") ? ["the new lines are indented by tabs, and those around them by spaces"] : [];
}
