// The last part of a sandbox's move into a worktree: the moved changes are removed from the folder. If the
// server is killed before this is done, its next start does it, so that the work is in one place.
import { join } from "node:path";
import type { Sandbox } from "../sandbox.ts";
import { saveRecord } from "../sandbox.ts";
import { readRecords } from "../sandbox-records.ts";
import type { Folder, Folders } from "../workspace/folder.ts";
import type { SnapshotStore } from "../workspace/snapshot-store.ts";
import { carry, type FileStep, sameEntry, treeChanges } from "../workspace/tree-merge.ts";

/**
 * Finishes the moves of the sandboxes whose state is in `dir`. Call it before anything works in their
 * folders.
 */
export async function finishMoves(
  dir: string,
  folders: Folders,
  warn: (message: string) => void,
): Promise<void> {
  for (const record of await readRecords(dir)) {
    if (!record.leaving) continue;
    await folders
      .get(record.leaving.root)
      .then((folder) => leave({ dir: join(dir, record.id), record }, folder))
      .catch((error: Error) => warn(`a move into a worktree was not finished: ${error.message}`));
  }
}

/** Removes the moved changes from the folder. Changes that others made to the same files since then stay. */
export async function leave(sandbox: Pick<Sandbox, "dir" | "record">, folder: Folder): Promise<void> {
  const { record } = sandbox;
  const { leaving } = record;
  if (!leaving) return;
  const { snapshots } = folder;
  const there = await snapshots.take(record.id);
  const tree = await snapshots.alone(async () => {
    const { tree } = await carried(snapshots.store, there, [leaving.now, leaving.rest], true);
    await snapshots.store.keep(record.id, tree);
    return tree;
  });
  await snapshots.restore(tree, record.id);
  await snapshots.forget(record.id);
  delete record.leaving;
  await saveRecord(sandbox);
}

/**
 * The tree `onto` with the differences between the two given trees. `spares`: skips deletions of files that
 * have changed in `onto`.
 */
export async function carried(
  store: SnapshotStore,
  onto: string,
  [from, to]: readonly [string, string],
  spares = false,
) {
  const [steps = new Map(), there = new Map()] = await treeChanges(store, [
    [from, to],
    [from, onto],
  ]);
  const at = (path: string) => {
    const known = there.get(path);
    return known ? known[1] : (steps.get(path)?.[0] ?? null);
  };
  const mine = [...steps].filter(([path, [from, to]]) => !spares || to !== null || sameEntry(at(path), from));
  return carry(store, onto, new Map(mine.map(([path, step]): [string, FileStep[]] => [path, [step]])), at);
}
