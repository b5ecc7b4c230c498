// Where in a file lines with a given anchor are now: what a refusal tells of a reference that does not fit.
import { anchorOf } from "./anchor.ts";

/** As many line numbers as say where to look; an anchor that is on more lines says little. */
const shownPlaces = 3;

/** The lines (from 1) that have `anchor`. */
export type AnchorPlaces = (anchor: string) => readonly number[];

/** Anchors are counted once, at the first question: most requests ask none. */
export function anchorPlaces(linesOf: () => readonly string[]): AnchorPlaces {
  let places: Map<string, number[]> | undefined;
  return (anchor) => {
    if (!places) {
      places = new Map();
      for (const [index, line] of linesOf().entries()) {
        const anchorThere = anchorOf(line);
        const found = places.get(anchorThere);
        if (found) found.push(index + 1);
        else places.set(anchorThere, [index + 1]);
      }
    }
    return places.get(anchor) ?? [];
  };
}

/** Such as `raf: line 723`, with the places that are nearest to line `near`. */
export function placesText(anchor: string, places: readonly number[], near: number): string {
  if (places.length === 0) return `${anchor}: on no line now`;
  const nearest = places
    .toSorted((a, b) => Math.abs(a - near) - Math.abs(b - near))
    .slice(0, shownPlaces)
    .toSorted((a, b) => a - b);
  const more = places.length - nearest.length;
  const lines = `${places.length === 1 ? "line" : "lines"} ${nearest.join(", ")}`;
  return `${anchor}: ${lines}${more > 0 ? ` and ${more} more` : ""}`;
}
