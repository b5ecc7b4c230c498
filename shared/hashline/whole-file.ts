// Whole files: what a model wants in the place of one, and the refusal where it has changed meanwhile.
import { diffLines } from "./diff.ts";
import { prefixesTaken, refusalOf, withoutPrefixes } from "./payload.ts";
import { renderPlaces } from "./regions.ts";
import { joinText, splitText } from "./text.ts";

const around = 2;
const placeRows = 24;
const allRows = 80;
const rowChars = 6_000;

/**
 * The text that is meant by `content`, to be written in the place of `live`: its prefixes and marks are those of a
 * payload, its line ends its own.
 */
export function readContent(
  content: string,
  live: string,
): { text: string; warnings: string[]; refusal: ReturnType<typeof refusalOf> } {
  const base = splitText(live).lines;
  const now = splitText(content);
  const bare = withoutPrefixes(now.lines, base);
  const refusal = refusalOf(bare ?? now.lines, base);
  if (!bare) return { text: content, warnings: [], refusal };
  return { text: joinText({ ...now, lines: bare }), warnings: [prefixesTaken], refusal };
}

/** `was`: the content of version `base`; `live`: that of `version`, the file as it is now. The text for the model. */
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
    ...(rows === "" ? [] : ["The changed places as they stand now; all else reads as it did:", rows]),
  ].join("\n");
}
