// Finds the current lines of a file that have a given anchor, for the refusal of a reference that does not match.
import { anchorOf } from "./anchor.ts";

/** The most line numbers to list; an anchor that is on more lines hardly helps to find the right one. */
const shownPlaces = 3;

/** The lines (from 1) that have `anchor`. */
export type AnchorPlaces = (anchor: string) => readonly number[];

/** The anchors are computed when one is first looked up, because most requests look up none. */
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

/** For example `raf: line 723`, listing the places nearest to line `near`. */
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
