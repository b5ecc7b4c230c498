// Reads the text that a model wants written: plain lines from `lines` or `new`, without row prefixes if those are
// genuine. It does not decide where the text goes.
import { anchorOf } from "./anchor.ts";
import type { EditProblem } from "./problem.ts";
import { holdsClipMark, parseRow } from "./rows.ts";
import { withoutCr } from "./text.ts";

/** The mark that replaces a secret in what a model sees: `[redacted]` or `[redacted: kind]`. */
export const redactionMark = /\[redacted(?::[^\]\r\n]{0,60})?\]/;

/** Lone surrogates cannot be written as UTF-8; they become U+FFFD. */
const loneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

export const prefixesTaken =
  "the row prefixes of the new lines were taken off: write plain lines, without `42foo|`";

export interface Payload {
  lines: string[];
  warnings: string[];
  refusal: { reason: EditProblem; text: string } | null;
}

/**
 * The payload's lines as they will be written, without line ends. An LF inside a line is a line end, as it would be in
 * the file. If every line ends with an LF, that is only the model's way to end lines, and it is removed.
 */
export function readPayload(
  raw: readonly string[],
  base: readonly string[],
  redaction = redactionMark,
): Payload {
  const warnings: string[] = [];
  const ended = raw.every((line) => line.endsWith("\n"));
  let lines = raw.flatMap((line) => (ended ? line.slice(0, -1) : line).split("\n"));
  const stripped = withoutPrefixes(lines, base);
  if (stripped) {
    lines = stripped;
    warnings.push(prefixesTaken);
  } else if (lines.some((line) => isRealRow(line, base))) {
    warnings.push(
      "a new line begins with a row prefix such as `42foo|`; not all lines do, so it was written as it is",
    );
  }
  const wellFormed = lines.map((line) => line.replace(loneSurrogate, "\uFFFD"));
  if (wellFormed.some((line, index) => line !== lines[index])) {
    warnings.push("an unpaired surrogate was written as U+FFFD");
  }
  return { lines: wellFormed, warnings, refusal: refusalOf(wellFormed, base, redaction) };
}

/**
 * The lines without their row prefixes, if every line has one whose anchor belongs to the base line with that number.
 */
export function withoutPrefixes(lines: readonly string[], base: readonly string[]): string[] | null {
  if (lines.length === 0) return null;
  const texts: string[] = [];
  for (const line of lines) {
    const row = parseRow(line);
    if (!row || !isAnchorOf(row.line, row.anchor, base)) return null;
    texts.push(row.text);
  }
  return texts;
}

function isRealRow(line: string, base: readonly string[]): boolean {
  const row = parseRow(line);
  return row !== null && isAnchorOf(row.line, row.anchor, base);
}

function isAnchorOf(lineNumber: number, anchor: string, base: readonly string[]): boolean {
  const line = base[lineNumber - 1];
  return line !== undefined && anchorOf(line) === anchor;
}

/**
 * Refuses redaction marks: each replaces text that the model has not seen, and writing one would destroy that text. A
 * verbatim copy of an existing line may contain one.
 */
export function refusalOf(
  lines: readonly string[],
  base: readonly string[],
  redaction = redactionMark,
): Payload["refusal"] {
  const pattern = new RegExp(redaction.source, redaction.flags.replace(/[gy]/g, ""));
  let known: Set<string> | undefined;
  for (const line of lines) {
    if (line.includes("\0")) {
      return {
        reason: "not_text",
        text: "a new line holds a NUL character; this tool edits text files only",
      };
    }
    const redacted = pattern.test(line);
    if (!redacted && !holdsClipMark(line)) continue;
    known ??= new Set(base.map(withoutCr));
    if (known.has(withoutCr(line))) continue;
    return redacted
      ? {
          reason: "redacted",
          text: "a new line holds a redaction mark, which would overwrite the secret that it replaces; leave such lines out of the edit",
        }
      : {
          reason: "clipped",
          text: "a new line holds the mark of a clipped row, which would overwrite the text behind it",
        };
  }
  return null;
}
