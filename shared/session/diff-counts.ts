// Counts the changes of a unified diff by file. Pure.
import type { FileCount } from "./session-state.ts";

/**
 * Added and removed lines of each file in a diff written by git. A file without lines (binary, renamed) is included
 * with zeros.
 */
export function diffCounts(diff: string): Record<string, FileCount> {
  const counts: Record<string, FileCount> = {};
  let count: FileCount | undefined;
  let inHunk = false;
  for (const line of diff.split("\n")) {
    if (line.startsWith("diff --git ")) {
      count = { added: 0, removed: 0 };
      inHunk = false;
      counts[/ b\/(.*)$/.exec(line)?.[1] ?? line] = count;
    } else if (line.startsWith("@@ ")) inHunk = true;
    else if (inHunk && count !== undefined && line.startsWith("+")) count.added += 1;
    else if (inHunk && count !== undefined && line.startsWith("-")) count.removed += 1;
  }
  return counts;
}
