// Reverts one file, or one hunk of its difference, to its state in a snapshot, if the file is still what the
// person saw. The caller must hold the store and has just taken the workspace as `now`.
import { HandrailError } from "../../shared/errors.ts";
import * as limits from "../limits.ts";
import { literal, type SnapshotStore } from "./snapshot-store.ts";

export interface Revert {
  path: string;
  /** The object id after `..` in the difference's `index` line, full or abbreviated; zeros = no file. */
  seen: string;
  /** Number of the hunk in that difference, from 1; absent = the whole file. */
  hunk?: number | undefined;
}

const sameAs = (path: string, ...trees: string[]) => [...trees, "--", literal(path)];

/**
 * Throws `stale_file` if the file has changed since, and `not_found` if there is nothing to revert. Nothing
 * is written then.
 */
export async function revertFile(
  store: SnapshotStore,
  { path, seen, hunk }: Revert,
  snapshot: string,
  now: string,
): Promise<void> {
  const { stdout, truncated } = await store.git(
    [
      "diff",
      "--no-renames",
      "--full-index",
      "--src-prefix=a/",
      "--dst-prefix=b/",
      ...sameAs(path, snapshot, now),
    ],
    {},
    { maxOutputBytes: limits.diffBytes },
  );
  if (stdout === "") throw movedOn(path);
  if (stdout.split("\ndiff --git ").length > 1)
    throw new HandrailError("invalid_request", `path: ${path} is not one file. Name one.`);
  const current = /^index [0-9a-f]+\.\.([0-9a-f]+)/m.exec(stdout)?.[1];
  if (current !== undefined && !current.startsWith(seen)) throw movedOn(path);
  if (hunk === undefined) {
    const restore = ["restore", `--source=${snapshot}`, "--staged", "--worktree", ...sameAs(path)];
    await store.git(restore, {}, { writable: true });
    return;
  }
  if (truncated || stdout.includes("\uFFFD"))
    throw new HandrailError("not_text", `${path}: only the whole file can be taken back.`);
  const apply = ["apply", "--reverse", "--index", "--whitespace=nowarn", "-"];
  await store.git(apply, { input: patchOf(stdout, path, hunk) }, { writable: true });
}

/** The difference with only this hunk. */
function patchOf(diff: string, path: string, hunk: number): string {
  const [head = "", ...hunks] = diff.split("\n@@ ");
  const wanted = hunks[hunk - 1];
  if (wanted === undefined)
    throw new HandrailError(
      "not_found",
      `hunk: ${path} has ${hunks.length} of them. Look at the difference again.`,
    );
  return `${head}\n@@ ${wanted}${wanted.endsWith("\n") ? "" : "\n"}`;
}

export function movedOn(path: string): HandrailError {
  return new HandrailError(
    "stale_file",
    `${path} has changed since you looked at it. Nothing was written; look at the changes again.`,
    { details: { reason: "stale_lines", path } },
  );
}
