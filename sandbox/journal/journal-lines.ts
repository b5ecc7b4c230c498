// Splits the bytes of a journal into lines. Detects an incomplete end and unreadable parts in the middle.
import { HandrailError } from "../../shared/errors.ts";
import { isObject } from "../../shared/is-record.ts";

export type StoredLine = { seq: number; at: number; type: string } & Record<string, unknown>;
export type LineDraft = { type: string } & Record<string, unknown>;

export interface ReadLines {
  lines: StoredLine[];
  /** The byte at which each line begins. Valid only without damage. */
  starts: number[];
  /** The byte after the last complete line. */
  end: number;
  /** Unreadable pieces between complete lines. Each is replaced by `lost` lines. */
  damages: number;
}

/**
 * Reads line after line, each with the seq that follows the last. Bytes after the last complete line come
 * from a write that was cut off, and no caller was told that they were written. Unreadable bytes between
 * complete lines are damage.
 */
export function readStoredLines(bytes: Buffer): ReadLines {
  const lines: StoredLine[] = [];
  const starts: number[] = [];
  let end = 0;
  let damages = 0;
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start);
    if (newline < 0) break;
    const line = parseLine(bytes.toString("utf8", start, newline));
    // A seq that occurred before does not belong to this journal.
    if (line && line.seq > lines.length) {
      if (start !== end || line.seq !== lines.length + 1) damages += 1;
      while (lines.length + 1 < line.seq) lines.push({ seq: lines.length + 1, at: line.at, type: "lost" });
      lines.push(line);
      starts.push(start);
      end = newline + 1;
    }
    start = newline + 1;
  }
  return { lines, starts, end, damages };
}

/** A line of a journal, or undefined if the text is not one. */
export function parseLine(text: string): StoredLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const { seq, at, type } = value;
    if (typeof seq !== "number" || !Number.isSafeInteger(seq)) return undefined;
    return typeof at === "number" && typeof type === "string" ? { ...value, seq, at, type } : undefined;
  } catch {
    return undefined;
  }
}

export function storedText(line: StoredLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** The error for a turn that has lost a line: its effects cannot be known any more. */
export function damagedError(): HandrailError {
  return new HandrailError(
    "not_kept",
    "The sandbox server's disk has lost a part of this turn, so it cannot continue. What is left of it is shown; nothing runs again. Look at the files, then send a new message.",
  );
}
