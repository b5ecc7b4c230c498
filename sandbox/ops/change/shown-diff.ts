// Limits how much of a difference an answer contains. A person reads only a part of it; the rest is in the
// files.
import { clip } from "../../../shared/hashline/rows.ts";
import * as limits from "../../limits.ts";

/**
 * `diff` unchanged up to the limit. Above it, long lines are clipped like rows, and the lines left out are
 * counted.
 */
export function shownDiff(diff: string): string {
  if (diff.length <= limits.changeDiffChars) return diff;
  const shown: string[] = [];
  const lines = diff.split("\n");
  let chars = 0;
  for (const line of lines) {
    const isLong = line.length > limits.lineChars + 1;
    const short = isLong ? line.charAt(0) + clip(line.slice(1), limits.lineChars) : line;
    chars += short.length + 1;
    if (chars > limits.changeDiffChars) break;
    shown.push(short);
  }
  const left = lines.length - shown.length;
  // Git marks lines that belong to neither file in the same way.
  return left > 0 ? `${shown.join("\n")}\n\\ ${left} more lines not shown` : shown.join("\n");
}
