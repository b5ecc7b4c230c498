// Makes one patch of the hunks that a person chose from the uncommitted changes. Pure.
import type { ChosenHunk } from "../../shared/delivery.ts";
import { HandrailError } from "../../shared/errors.ts";
import { movedOn } from "../workspace/revert-file.ts";
import type { Uncommitted } from "./uncommitted.ts";

/**
 * `files`: the files chosen as a whole. Throws `stale_file` for a file that differs from what the person saw.
 */
export function chosenPatch(
  { files, patch, truncated }: Uncommitted,
  wanted: readonly ChosenHunk[],
): { patch: string; files: string[] } {
  // A file's own lines begin with a mark (at least a space), so they never match here.
  const blocks = patch.split(/^(?=diff --git )/m);
  const blockOf = (path: string) => {
    const seen = files.find((each) => each.path === path)?.seen ?? "";
    const alike = files.filter((each) => each.seen === seen).findIndex((each) => each.path === path);
    return blocks.filter((block) => block.includes(`\nindex ${seen}`))[alike] ?? "";
  };
  const parts: string[] = [];
  const whole = new Set<string>();
  const numbers = new Map<string, Set<number>>();
  for (const { path, seen, hunk } of wanted) {
    const file = files.find((each) => each.path === path);
    if (file?.seen !== seen) throw movedOn(path);
    if (hunk === undefined) whole.add(path);
    else numbers.set(path, (numbers.get(path) ?? new Set()).add(hunk));
  }
  for (const [path, chosen] of numbers) {
    if (whole.has(path)) continue;
    const block = blockOf(path);
    if (truncated || block.includes("\uFFFD"))
      throw new HandrailError("not_text", `${path}: only the whole file can be committed.`);
    const [head = "", ...hunks] = block.split(/^(?=@@ )/m);
    if (hunks.length < Math.max(...chosen))
      throw new HandrailError("not_found", `hunk: ${path} has ${hunks.length}. Look at the changes again.`);
    parts.push(head, ...hunks.filter((_, at) => chosen.has(at + 1)));
  }
  return { patch: parts.join(""), files: [...whole] };
}
