// Decides whether the text with which a model stopped in plan mode is a plan (PROTOCOL 6). It looks at the form alone.
import { announcesOther, announcesSteps } from "./ordinary/announcing.ts";
import { isNumbered } from "./ordinary/lines.ts";
import { readLines } from "./ordinary/tables.ts";
import { isTaggedPlan } from "./ordinary/tags.ts";
import { indentOf, markdownBlock, splitLines } from "./plan-lines.ts";

const headingWords = /plan\b|\u8ba1\u5212/i;
/** `# Plan`, `## Implementation plan`, `**Plan**`, `**Plan:**`. */
const markedHeading = /^ {0,3}(?:#{1,6}\s+(.+)|\*\*([^*]+)\*\*:?\s*$|__([^_]+)__:?\s*$)/;
/** `Plan:` or `The plan:` on its own line. */
const bareHeading = /^ {0,3}(?:\w+ ){0,3}plan:?$/i;
const checkbox = /^ {0,3}[-*+]\s+\[[ xX]\]\s+\S/;
/** Answers often contain plain bullets. These count as steps only if the line above them says so. */
const bullet = /^ {0,3}(?:[-*+\u2022]|\(?(?:[a-z]|[ivx]{1,5})[.)])\s+\S/i;
const fence = /^ {0,3}(```|~~~)/;

/**
 * Whether a text has a heading that says plan or a list of two or more steps (both outside code), a table with numbered
 * steps, a plan in tags, or a document in a fence with such a heading.
 */
export function looksLikePlan(text: string): boolean {
  const lines = proseLines(text).filter((line) => line.trim() !== "");
  return (
    lines.some(isPlanHeading) ||
    countSteps(lines) >= 2 ||
    hasAnnouncedBullets(lines) ||
    isTaggedPlan(text) ||
    readLines(text).some(({ row }) => row?.counts) ||
    // Other documents are shown in fences too, so here only a heading counts.
    proseLines(markdownBlock(text)).some(isPlanHeading)
  );
}

function countSteps(lines: readonly string[]): number {
  let told = false;
  let count = 0;
  for (const line of lines) {
    const listed = (indentOf(line) < 4 && isNumbered(line.trim())) || checkbox.test(line);
    if (listed && !told) count += 1;
    // An indented line continues a list.
    if (!listed && !/^\s/.test(line)) told = announcesOther(line);
  }
  return count;
}

/** Two or more bullets directly below a line such as `Here is what I will do:`. */
function hasAnnouncedBullets(lines: readonly string[]): boolean {
  return lines.some(
    (line, index) =>
      announcesSteps(line) && bullet.test(lines[index + 1] ?? "") && bullet.test(lines[index + 2] ?? ""),
  );
}

function isPlanHeading(line: string): boolean {
  const marked = markedHeading.exec(line);
  if (marked) return headingWords.test(marked[1] ?? marked[2] ?? marked[3] ?? "");
  return line.trim().endsWith(":") && bareHeading.test(line.trim());
}

function proseLines(text: string): string[] {
  let inCode = false;
  return splitLines(text).filter((line) => {
    if (!fence.test(line)) return !inCode;
    inCode = !inCode;
    return false;
  });
}
