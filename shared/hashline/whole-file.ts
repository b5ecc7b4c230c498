// The refusal to replace, delete or move a whole file that has changed meanwhile: what changed, and nothing else.
import { diffLines } from "./diff.ts";
import { renderPlaces } from "./regions.ts";
import { splitText } from "./text.ts";

const around = 2;
const placeRows = 24;
const allRows = 80;
const rowChars = 6_000;

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
