// Colours code line by line: comments, strings, keywords and numbers. It never changes the text. Pure.
import type { Language } from "./languages.ts";

export interface Token {
  text: string;
  kind: "plain" | "comment" | "string" | "keyword" | "number";
}

/** Returns a list of tokens for each line of `text`; joined, the tokens are that line. */
export function highlight(text: string, language: Language): Token[][] {
  const lines: Token[][] = [[]];
  let at = 0;
  for (const match of text.matchAll(patternOf(language))) {
    push(lines, text.slice(at, match.index), "plain");
    const { comment, string, word } = match.groups ?? {};
    if (comment !== undefined) push(lines, comment, "comment");
    else if (string !== undefined) push(lines, string, "string");
    else if (word !== undefined) push(lines, word, language.keywords.has(word) ? "keyword" : "plain");
    else push(lines, match[0], "number");
    at = match.index + match[0].length;
  }
  push(lines, text.slice(at), "plain");
  return lines;
}

function push(lines: Token[][], text: string, kind: Token["kind"]): void {
  for (const [index, part] of text.split("\n").entries()) {
    if (index > 0) lines.push([]);
    if (part === "") continue;
    const line = lines.at(-1);
    const last = line?.at(-1);
    if (last?.kind === kind) last.text += part;
    else line?.push({ text: part, kind });
  }
}

/** Reads the text once. An unclosed token ends with its line, or with the text if it may contain line ends. */
function patternOf({ line, block, quotes, long }: Language): RegExp {
  const comments = line.map((mark) => `${mark === "#" ? "(?<![\\w$&])" : ""}${escaped(mark)}[^\\n]*`);
  if (block !== undefined) comments.unshift(`${escaped(block[0])}[^]*?(?:${escaped(block[1])}|$)`);
  const strings = [
    ...long.map(
      (mark) => `${escaped(mark)}(?:\\\\[^]|(?!${escaped(mark)})[^\\\\])*(?:${escaped(mark)}|\\\\?$)`,
    ),
    ...quotes.map((mark) => `${mark}(?:\\\\.|[^\\\\\\n${mark}])*${mark}?`),
  ];
  const parts = [
    ...(comments.length > 0 ? [`(?<comment>${comments.join("|")})`] : []),
    ...(strings.length > 0 ? [`(?<string>${strings.join("|")})`] : []),
    "(?<word>[\\p{L}_$][\\p{L}\\p{N}_$]*)",
    "\\d[\\w.]*",
  ];
  return new RegExp(parts.join("|"), "gu");
}

function escaped(mark: string): string {
  return mark.replace(/[*/-]/g, (sign) => (sign === "-" ? sign : `\\${sign}`));
}
