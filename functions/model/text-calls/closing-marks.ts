// Finds the end of a call that is held back, as its text grows. Every character is read once.
import type { CallFormat } from "./call-formats.ts";

export interface HeldFormat {
  kind: "format";
  format: CallFormat;
  text: string;
  /** Up to here no closing mark was found. */
  searched: number;
  /** Up to where quotes were counted, and whether they leave a string open there. */
  counted: number;
  inString: boolean;
  /** Marks inside strings so far. */
  quoted: number;
}

/** How many marks inside strings of a call that is not JSON are tried; each try reads all of it. */
export const maxQuotedMarks = 100;

export function holdFormat(format: CallFormat, text: string): HeldFormat {
  const searched = format.opens.length;
  return { kind: "format", format, text, searched, counted: 0, inString: false, quoted: 0 };
}

/** The position after the next closing mark of `held`, searched for only in what is new. */
export function nextMark(held: HeldFormat): number | undefined {
  const { closes: mark } = held.format;
  if (mark === undefined) return undefined;
  const written = new RegExp(mark.replaceAll("|", "[|｜]").replaceAll("_", "[_▁]"), "g");
  written.lastIndex = held.searched;
  const end = written.test(held.text) ? written.lastIndex : undefined;
  held.searched = end ?? Math.max(held.searched, held.text.length - mark.length + 1);
  return end;
}

/** Whether a JSON string is open at `end`; counts from where it last was asked. */
export function endsInString(held: HeldFormat, end: number): boolean {
  for (; held.counted < end; held.counted += 1) {
    const char = held.text[held.counted];
    if (char === '"') held.inString = !held.inString;
    else if (char === "\\" && held.inString) held.counted += 1;
  }
  return held.inString;
}
