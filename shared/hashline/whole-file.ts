// Writing whole files: the content that a model wants to write, and the refusal if the file has changed meanwhile.
import { diffLines } from "./diff.ts";
import { prefixesTaken, refusalOf, withoutPrefixes } from "./payload.ts";
import { renderPlaces } from "./regions.ts";
import { joinText, splitText } from "./text.ts";

const around = 2;
const placeRows = 24;
const allRows = 80;
const rowChars = 6_000;

/**
 * The text of `content`, which replaces `live`: row prefixes and marks are treated as in a payload; line ends stay as
 * `content` has them.
 */
export function readContent(
  content: string,
  live: string,
): { text: string; warnings: string[]; refusal: ReturnType<typeof refusalOf> } {
  const base = splitText(live).lines;
  const now = splitText(content);
  const bare = withoutPrefixes(now.lines, base);
  const refusal = refusalOf(bare ?? now.lines, base) ?? leavesOut(bare ?? now.lines, base);
  if (!bare) return { text: content, warnings: [], refusal };
  return { text: joinText({ ...now, lines: bare }), warnings: [prefixesTaken], refusal };
}

/**
 * Comments in place of omitted code, such as "// ... rest of the code". Models of every size write them into what
 * should be a whole file; https://github.com/continuedev/continue/issues/11148 (2026-10) even asks for them.
 */
const placeholder =
  /^\s*(?:(?:\/\/|#|--|;|%|\/\*|<!--|\{\/\*|\*)\s*)?(?:\[\s*)?(?:\.{3}|…)\s*\(?(?:[\w']+\s+){0,3}(?:rest|remaining|remainder|existing|unchanged|same|previous|other|omitted|code|your)\b|^\s*(?:\/\/|#|\/\*|<!--|--)\s*(?:the )?(?:rest|remainder|remaining|existing|previous)\b(?: of)?(?: the| your)?(?: \w+){0,2} (?:code|file|functions?|class|content|implementation|methods?|unchanged|remains?|stays?|here|goes)\b/i;

/** Refuses a shorter rewrite with such a comment, because it would delete the code that the comment replaces. */
function leavesOut(lines: readonly string[], base: readonly string[]): ReturnType<typeof refusalOf> {
  if (lines.length >= base.length) return null;
  const known = new Set(base.map((line) => line.trim()));
  const line = lines.findIndex((text) => placeholder.test(text) && !known.has(text.trim()));
  if (line < 0) return null;
  const text = `line ${line + 1} stands for text that is left out (\`${lines[line]?.trim().slice(0, 60)}\`), and the file would lose ${base.length - lines.length} of its ${base.length} lines`;
  return { reason: "clipped", text };
}

/** The refusal for the model. `was`: the content of version `base`; `live`: that of `version`, the current file. */
export function wholeFileChanged(input: {
  base: string;
  was: string;
  live: string;
  path: string;
  version: string;
  maxLineChars?: number | undefined;
}): string {
  const { base, path, version } = input;
  const live = splitText(input.live).lines;
  const places = diffLines(splitText(input.was).lines, live).map((hunk) => ({
    from: hunk.newFrom,
    to: hunk.newTo,
  }));
  const rows = renderPlaces(live, places, {
    around,
    maxPlaceRows: placeRows,
    maxRows: allRows,
    maxChars: rowChars,
    maxLineChars: input.maxLineChars,
    path,
    version,
  });
  return [
    `REJECTED, nothing written to ${path}.`,
    `The file has changed since ${base}; it is ${version} now. Look at what changed, then give ${version} as base.`,
    ...(places.length === 0
      ? ["Its lines are the same: a byte order mark or the final newline changed."]
      : []),
    ...(rows === "" ? [] : ["The changed places as they are now; everything else is unchanged:", rows]),
  ].join("\n");
}
