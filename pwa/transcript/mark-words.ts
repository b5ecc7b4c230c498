// Marks the words that a search found, and scrolls the first of them into view. Changes no element.
import { fold } from "../app/search.ts";

/** How far below the upper edge a found word is shown, as a fraction of the height. */
const upperThird = 0.3;

/** `words` are folded. It searches the row of `box` that is marked as found. */
export function markWords(box: HTMLElement | null, words: readonly string[]): void {
  const row = box?.querySelector(".found-here");
  if (!box || !row) return;
  const ranges = rangesIn(row, words);
  // Without https://developer.mozilla.org/docs/Web/API/CSS_Custom_Highlight_API only the row is marked.
  if ("highlights" in CSS && ranges.length > 0) CSS.highlights.set("found", new Highlight(...ranges));
  const { top, bottom } = (ranges[0] ?? row).getBoundingClientRect();
  const view = box.getBoundingClientRect();
  if (top < view.top || bottom > view.bottom) box.scrollTop += top - view.top - view.height * upperThird;
}

function rangesIn(row: Element, words: readonly string[]): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = fold(node.textContent ?? "");
    for (const word of words) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        ranges.push(range);
      }
    }
  }
  return ranges.sort((a, b) => a.compareBoundaryPoints(Range.START_TO_START, b));
}
