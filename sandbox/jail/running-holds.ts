// The places that running commands hold by mounts of their own. A command cannot replace these, but everything
// else in its workspace, also while the jail of another command is made. Bubblewrap creates a missing mount
// point, and would create it on this machine if a link there leads to /oldroot.
import { relative } from "node:path";
import { isInside } from "../paths/inside.ts";
import { entryAt } from "../workspace/looked-at.ts";

export interface HeldEntry {
  /** Device and inode. */
  id: string;
  /** The command can write nothing in it. */
  readonly: boolean;
}

/** By path, relative to the folder that the command may write to. */
export type HeldEntries = ReadonlyMap<string, HeldEntry>;

/** Of all commands of this process, because workspaces lie in one another. */
const running = new Set<{ root: string; held: HeldEntries }>();

/** `root`: real path. Call the returned function when the command has ended. */
export function noteHolds(root: string, held: HeldEntries): () => void {
  const one = { root, held };
  running.add(one);
  return () => running.delete(one);
}

/** Whether no running command can replace the entry at the real path `path`, or a folder on the way to it. */
export function isSteady(path: string): boolean {
  return [...running].every(({ root, held }) => {
    if (!isInside(root, path)) return true;
    const names = relative(root, path).split("/").filter(Boolean);
    let closed = false;
    for (let index = 1; index <= names.length; index++) {
      const place = names.slice(0, index).join("/");
      const entry = held.get(place);
      if (!entry) return closed;
      // A program of the machine may have replaced it, which ends the mount.
      if (entryAt(root, place)?.id !== entry.id) return false;
      // An entry with a mount of its own may be writable although its folder is read-only.
      closed = entry.readonly;
    }
    return true;
  });
}
