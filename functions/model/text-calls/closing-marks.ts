// Finds the end of a call that is held back, as its text grows. Every character is read once.
import type { CallFormat } from "./call-formats.ts";

export interface OpenFormat {
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

export function openFormat(format: CallFormat, text: string): OpenFormat {
  const searched = format.opens.length;
  return { kind: "format", format, text, searched, counted: 0, inString: false, quoted: 0 };
}

/** The position after the next closing mark of `open`, searched for only in what is new. */
export function nextMark(open: OpenFormat): number | undefined {
  const { closes: mark } = open.format;
  if (mark === undefined) return undefined;
  const written = new RegExp(mark.replaceAll("|", "[|｜]").replaceAll("_", "[_▁]"), "g");
  written.lastIndex = open.searched;
  const end = written.test(open.text) ? written.lastIndex : undefined;
  open.searched = end ?? Math.max(open.searched, open.text.length - mark.length + 1);
  return end;
}

/** Whether a JSON string is open at `end`; counts from where it last was asked. */
export function endsInString(open: OpenFormat, end: number): boolean {
  for (; open.counted < end; open.counted += 1) {
    const char = open.text[open.counted];
    if (char === '"') open.inString = !open.inString;
    else if (char === "\\" && open.inString) open.counted += 1;
  }
  return open.inString;
}
