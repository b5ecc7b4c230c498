// Finds the end of a call that is held back, as its text grows. Every character is read once.
import type { AssembledCall } from "../call-assembly.ts";
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

/** The position after the next closing mark of `open`; searches only the new text. */
export function nextMark(open: OpenFormat): number | undefined {
  const { closes: mark } = open.format;
  if (mark === undefined) return undefined;
  const written = new RegExp(mark.replaceAll("|", "[|｜]").replaceAll("_", "[_▁]"), "g");
  written.lastIndex = open.searched;
  const end = written.test(open.text) ? written.lastIndex : undefined;
  open.searched = end ?? Math.max(open.searched, open.text.length - mark.length + 1);
  return end;
}

/** Whether a JSON string is open at `end`; continues counting from the previous call's position. */
export function endsInString(open: OpenFormat, end: number): boolean {
  for (; open.counted < end; open.counted += 1) {
    const char = open.text[open.counted];
    if (char === '"') open.inString = !open.inString;
    else if (char === "\\" && open.inString) open.counted += 1;
  }
  return open.inString;
}

/** Returns the call in a form that is refused as truncated. */
export function leftOpened(call: AssembledCall): AssembledCall {
  return { ...call, arguments: leftOpen(call.arguments) };
}

/** The beginning of an object that no bracket closes. */
function leftOpen(args: string): string {
  const text = args.trim();
  let end = text.length;
  while (/[\s\]}"]/.test(text.charAt(end - 1))) end -= 1;
  return text.startsWith("{") ? text.slice(0, end) : "{";
}

/** What comes next on `line` is in a quote, in indented code or in backticks. */
export function isQuoted(line: string): boolean {
  return /^(?: {4}|\t| {0,3}>)/.test(line) || line.split("`").length % 2 === 0;
}

export function closes(line: string, mark: string): boolean {
  const bare = line.trimEnd();
  return bare.length >= mark.length && bare === mark.charAt(0).repeat(bare.length);
}

/** Whether what follows a call on its line continues the sentence that the call is in: it talks about it. */
export function talksOn(rest: string): boolean {
  return /^[ \t]*[\p{Ll},.;:)`]/u.test(rest);
}
