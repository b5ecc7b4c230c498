// Where a call of a dialect that is held back ends, looked for as it grows. Every character is read once.
import type { Dialect } from "./dialects.ts";

export interface HeldDialect {
  kind: "dialect";
  dialect: Dialect;
  text: string;
  /** Where no closing mark ends. */
  searched: number;
  /** Up to where quotes were counted, and whether they leave a string open there. */
  counted: number;
  inString: boolean;
  /** Marks inside strings so far. */
  quoted: number;
}

/** So many marks inside strings of a call that is no JSON are tried; each costs reading all of it. */
export const maxQuotedMarks = 100;

export function holdDialect(dialect: Dialect, text: string): HeldDialect {
  const searched = dialect.opens.length;
  return { kind: "dialect", dialect, text, searched, counted: 0, inString: false, quoted: 0 };
}

/** Behind the next closing mark of `held`, looked for where it was not yet. */
export function nextMark(held: HeldDialect): number | undefined {
  const { closes: mark } = held.dialect;
  if (mark === undefined) return undefined;
  const written = new RegExp(mark.replaceAll("|", "[|｜]").replaceAll("_", "[_▁]"), "g");
  written.lastIndex = held.searched;
  const end = written.test(held.text) ? written.lastIndex : undefined;
  held.searched = end ?? Math.max(held.searched, held.text.length - mark.length + 1);
  return end;
}

/** Whether a JSON string is open at `end`; counts from where it last was asked. */
export function endsInString(held: HeldDialect, end: number): boolean {
  for (; held.counted < end; held.counted += 1) {
    const char = held.text[held.counted];
    if (char === '"') held.inString = !held.inString;
    else if (char === "\\" && held.inString) held.counted += 1;
  }
  return held.inString;
}
