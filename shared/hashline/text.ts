// Splits a text into lines without losing anything: BOM, CRLF on each line, and whether there is a final newline.

/**
 * `lines` are split at LF only and keep a trailing CR, so that mixed line ends survive. A final newline adds no line,
 * and an empty text has no lines. `joinText(splitText(text)) === text` for every string.
 */
export interface TextLines {
  bom: boolean;
  lines: string[];
  finalNewline: boolean;
}

export function splitText(text: string): TextLines {
  const bom = text.charCodeAt(0) === 0xfeff;
  const body = bom ? text.slice(1) : text;
  if (body === "") return { bom, lines: [], finalNewline: false };
  const lines = body.split("\n");
  const finalNewline = lines[lines.length - 1] === "";
  if (finalNewline) lines.pop();
  return { bom, lines, finalNewline };
}

export function joinText(text: TextLines): string {
  return `${text.bom ? "\uFEFF" : ""}${text.lines.join("\n")}${text.finalNewline ? "\n" : ""}`;
}

/** The visible part of a line: without the CR of a CRLF line end. */
export function withoutCr(line: string): string {
  return line.charCodeAt(line.length - 1) === 0x0d ? line.slice(0, -1) : line;
}

/** Whether line `index` (from 0) ends with CRLF; for an unterminated last line, whether the line before it does. */
export function usesCrLf(text: TextLines, index: number): boolean {
  const unterminated = index === text.lines.length - 1 && !text.finalNewline;
  const line = text.lines[unterminated && index > 0 ? index - 1 : index];
  return line !== undefined && !(unterminated && index === 0) && line.charCodeAt(line.length - 1) === 0x0d;
}
