// Line differences for people: unified diffs as git writes them, and counts of added and removed lines.
import { distances, trace } from "./myers.ts";
import { splitText, type TextLines } from "./text.ts";

/**
 * Beyond this many steps, the whole differing middle is shown as replaced: correct, but not the shortest difference.
 */
const defaultMaxWork = 30_000_000;
const fewSteps = 200_000;
const contextLines = 3;

/** Old lines `oldFrom` to `oldTo` (from 0, end excluded) became new lines `newFrom` to `newTo`. */
export interface Hunk {
  oldFrom: number;
  oldTo: number;
  newFrom: number;
  newTo: number;
}

/**
 * The hunks in which two lists of lines differ, in order: a shortest difference, with each change as late as possible.
 */
export function diffLines(old: readonly string[], now: readonly string[], maxWork = defaultMaxWork): Hunk[] {
  let head = 0;
  const most = Math.min(old.length, now.length);
  while (head < most && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  const oldEnd = old.length - tail;
  const newEnd = now.length - tail;
  if (head === oldEnd && head === newEnd) return [];

  const match = matchMiddle(old.slice(head, oldEnd), now.slice(head, newEnd), maxWork);
  const hunks: Hunk[] = [];
  let [x, y] = [head, head];
  for (let index = head; index <= oldEnd; index += 1) {
    const at = index === oldEnd ? newEnd : (match[index - head] ?? -1) + head;
    if (index < oldEnd && at < head) continue;
    if (x < index || y < at) hunks.push({ oldFrom: x, oldTo: index, newFrom: y, newTo: at });
    x = index + 1;
    y = at + 1;
  }
  return hunks;
}

/** For each old line its index among the new lines, or -1 if it was removed. */
function matchMiddle(old: readonly string[], now: readonly string[], maxWork: number): Int32Array {
  // If few lines changed, comparing the strings directly is faster than numbering them first.
  const near = distances(old, now, 4 * (old.length + now.length) + fewSteps);
  if (near) return trace(old, now, near, "keep");
  const ids = new Map<string, number>();
  for (const line of now) if (!ids.has(line)) ids.set(line, ids.size);
  const inOld = new Set<number>();
  const oldShared: number[] = [];
  old.forEach((line, index) => {
    const id = ids.get(line);
    if (id === undefined) return;
    inOld.add(id);
    oldShared.push(index);
  });
  const newShared: number[] = [];
  now.forEach((line, index) => {
    if (inOld.has(ids.get(line) ?? -1)) newShared.push(index);
  });
  const match = new Int32Array(old.length).fill(-1);
  const a = Int32Array.from(oldShared, (index) => ids.get(old[index] ?? "") ?? -1);
  const b = Int32Array.from(newShared, (index) => ids.get(now[index] ?? "") ?? -1);
  const found = distances(a, b, maxWork);
  if (!found) return match;
  trace(a, b, found, "keep").forEach((target, position) => {
    if (target >= 0) match[oldShared[position] ?? 0] = newShared[target] ?? -1;
  });
  return match;
}

export interface LineCounts {
  added: number;
  removed: number;
}

/** The number of added and removed lines that `unifiedDiff` shows for the same texts. */
export function countChanges(oldText: string, newText: string): LineCounts {
  return countHunks(diffLines(linesOf(oldText), linesOf(newText)));
}

/** The same for texts that are already split. Either both must have a BOM or neither. */
export function countLineChanges(old: TextLines, now: TextLines): LineCounts {
  return countHunks(diffLines(marked(old), marked(now)));
}

function countHunks(hunks: readonly Hunk[]): LineCounts {
  const changes = { added: 0, removed: 0 };
  for (const hunk of hunks) {
    changes.added += hunk.newTo - hunk.newFrom;
    changes.removed += hunk.oldTo - hunk.oldFrom;
  }
  return changes;
}

/**
 * The lines, with a mark that no line can contain on an unterminated last line, so that it differs from a terminated
 * one.
 */
function marked({ lines, finalNewline }: TextLines): readonly string[] {
  const last = lines.length - 1;
  return finalNewline || last < 0 ? lines : lines.with(last, `${lines[last] ?? ""}\n`);
}

/**
 * A unified diff as git writes it, with three lines of context. A null path means /dev/null (created, deleted). Returns
 * "" if texts and paths are equal, and only the headers if just the path changed or the file is empty.
 */
export function unifiedDiff(
  oldText: string,
  newText: string,
  oldPath: string | null,
  newPath: string | null,
): string {
  if (oldText === newText && oldPath === newPath) return "";
  const [old, now] = [linesOf(oldText), linesOf(newText)];
  const out = [`--- ${header("a/", oldPath)}`, `+++ ${header("b/", newPath)}`];
  // A loop instead of spreading: a group can be a whole file of 200,000 lines, more than a call takes as arguments.
  for (const group of grouped(diffLines(old, now)))
    for (const line of groupLines(group, old, now)) out.push(line);
  return `${out.join("\n")}\n`;
}

/** Here a BOM is part of the first line, because a diff has to show that it was added or removed. */
function linesOf(text: string): readonly string[] {
  const { bom, lines, finalNewline } = splitText(text);
  const shown = bom ? [`\uFEFF${lines[0] ?? ""}`, ...lines.slice(1)] : lines;
  return marked({ bom, lines: shown, finalNewline });
}

function header(prefix: string, path: string | null): string {
  if (path === null) return "/dev/null";
  const quoted = Array.from(prefix + path, quotedChar).join("");
  if (quoted.length > prefix.length + path.length) return `"${quoted}"`;
  // A tab after the name keeps readers from ending it at a space.
  return quoted.includes(" ") ? `${quoted}\t` : quoted;
}

const escapes: Record<string, string> = { "\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\" };

/** Escapes control characters, quotes and backslashes as in C, like git. */
function quotedChar(char: string): string {
  const code = char.charCodeAt(0);
  if (code >= 0x20 && code !== 0x7f) return escapes[char] ?? char;
  return escapes[char] ?? `\\${code.toString(8).padStart(3, "0")}`;
}

function grouped(hunks: readonly Hunk[]): Hunk[][] {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group && last && hunk.oldFrom - last.oldTo <= 2 * contextLines) group.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

function groupLines(group: readonly Hunk[], old: readonly string[], now: readonly string[]): string[] {
  const first = group[0] ?? { oldFrom: 0, oldTo: 0, newFrom: 0, newTo: 0 };
  const last = group.at(-1) ?? first;
  const before = Math.min(contextLines, first.oldFrom);
  const after = Math.min(contextLines, old.length - last.oldTo);
  const [oldFrom, newFrom] = [first.oldFrom - before, first.newFrom - before];
  const [oldTo, newTo] = [last.oldTo + after, last.newTo + after];
  const out = [`@@ -${range(oldFrom, oldTo)} +${range(newFrom, newTo)} @@`];
  const push = (sign: string, line: string | undefined): void => {
    if (line?.endsWith("\n")) out.push(`${sign}${line.slice(0, -1)}`, "\\ No newline at end of file");
    else out.push(`${sign}${line ?? ""}`);
  };
  let at = oldFrom;
  for (const hunk of group) {
    for (; at < hunk.oldFrom; at += 1) push(" ", old[at]);
    for (; at < hunk.oldTo; at += 1) push("-", old[at]);
    for (let index = hunk.newFrom; index < hunk.newTo; index += 1) push("+", now[index]);
  }
  for (; at < oldTo; at += 1) push(" ", old[at]);
  return out;
}

/** `start,count` from 1. The count is left out if it is 1, and an empty range names the line before it. */
function range(from: number, to: number): string {
  const count = to - from;
  return count === 1 ? `${from + 1}` : `${count === 0 ? from : from + 1},${count}`;
}
