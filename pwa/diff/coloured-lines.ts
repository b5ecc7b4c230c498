// Colours the lines of a hunk: each side is read as code in its language. Loaded with the first diff. Pure.
import { highlight, type Token } from "../files/highlight.ts";
import { languageOf } from "../files/languages.ts";
import type { DiffLine } from "./parse-diff.ts";
import type { WordPiece } from "./word-diff.ts";

/** A piece of a line in one colour; `changed` is true if it differs from the other side. */
export interface Piece extends Token {
  changed: boolean;
}

/** The tokens of each line; nothing if the language of `path` is not known. */
export function colouredLines(path: string, lines: readonly DiffLine[]): Map<DiffLine, Token[]> {
  const language = languageOf(path);
  const coloured = new Map<DiffLine, Token[]>();
  if (language === undefined) return coloured;
  for (const side of ["removed", "added"] as const) {
    const of = lines.filter(({ kind }) => kind === "same" || kind === side);
    const tokens = highlight(of.map(({ text }) => text).join("\n"), language);
    of.forEach((line, index) => {
      const found = tokens[index];
      if (found !== undefined) coloured.set(line, found);
    });
  }
  return coloured;
}

/** Returns `tokens` cut where `words` begin and end, so that both can be shown. The joined pieces are the line. */
export function pieces(tokens: readonly Token[], words: readonly WordPiece[]): Piece[] {
  const cut: Piece[] = [];
  let word = 0;
  let used = 0;
  for (const { text, kind } of tokens) {
    for (let at = 0; at < text.length; ) {
      const piece = words[word];
      const left = piece === undefined ? text.length - at : piece.text.length - used;
      if (left === 0) {
        word += 1;
        used = 0;
        continue;
      }
      const part = text.slice(at, at + left);
      cut.push({ text: part, kind, changed: piece?.changed ?? false });
      at += part.length;
      used += part.length;
    }
  }
  return cut;
}
