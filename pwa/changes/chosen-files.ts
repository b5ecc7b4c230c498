// Which uncommitted files and hunks go into a commit, as the person ticks them. Pure.
import type { ChosenHunk } from "../../shared/delivery.ts";
import type { DiffFile } from "../diff/parse-diff.ts";

/** The hunks that were left out, as `PATH#NUMBER`; a file without hunks is `PATH#0`. All others go in. */
export type LeftOut = ReadonlySet<string>;

/** Hunk numbers from 1, as the server counts them; [0] for a file that is committed whole or not at all. */
export function partsOf({ hunks }: DiffFile): number[] {
  return hunks.length > 1 ? hunks.map((_, at) => at + 1) : [0];
}

const place = (file: DiffFile, part: number) => `${file.path}#${part}`;

export function isIn(left: LeftOut, file: DiffFile, part: number): boolean {
  return !left.has(place(file, part));
}

/** How much of a file goes in. */
export function shareOf(left: LeftOut, file: DiffFile): "all" | "some" | "none" {
  const parts = partsOf(file);
  const count = parts.filter((part) => isIn(left, file, part)).length;
  return count === 0 ? "none" : count === parts.length ? "all" : "some";
}

/** Toggles `parts` of a file: all of them go in if one was left out, otherwise all are left out. */
export function turned(left: LeftOut, file: DiffFile, parts: readonly number[]): LeftOut {
  const next = new Set(left);
  const comesIn = parts.some((part) => !isIn(left, file, part));
  for (const part of parts) {
    if (comesIn) next.delete(place(file, part));
    else next.add(place(file, part));
  }
  return next;
}

/**
 * The files that the request names, each as the person saw it. A file that has no ids in the diff is named by its path.
 */
export function chosen(files: readonly DiffFile[], left: LeftOut): { paths: string[]; hunks: ChosenHunk[] } {
  const paths: string[] = [];
  const hunks: ChosenHunk[] = [];
  for (const file of files) {
    const share = shareOf(left, file);
    if (share === "none") continue;
    const { path, was, seen } = file;
    if (was === undefined || seen === undefined)
      if (file.newMode) hunks.push({ path, seen: ".." });
      else paths.push(path);
    else if (share === "all") hunks.push({ path, seen: `${was}..${seen}` });
    else
      for (const part of partsOf(file))
        if (isIn(left, file, part)) hunks.push({ path, seen: `${was}..${seen}`, hunk: part });
  }
  return { paths, hunks };
}
