// Attributes the changes of a call that may write anywhere: every difference afterwards counts as the
// sandbox's.
import { callFailed, diskError } from "../paths/disk-error.ts";
import { beginIn, type Sandbox } from "../sandbox.ts";

/**
 * Call it before anything is written: without a first snapshot, the state from before the sandbox cannot be
 * restored. Throws `disk_full`.
 */
export async function begun(sandbox: Sandbox): Promise<void> {
  await sandbox.beginning;
  await beginIn(sandbox).catch((error: unknown) => {
    const full = diskError(error, "state", callFailed);
    if (full) throw full;
  });
}

/** Runs `work`, which has the folder to itself, and records the folder's tree before and after. */
export async function attributed<T>(sandbox: Sandbox, work: () => Promise<T>): Promise<T> {
  const { own, folder } = sandbox;
  await begun(sandbox);
  if (!own) return work();
  // A folder that cannot be read is used nevertheless. Its changes are then not attributed to any sandbox.
  const looked = await folder.snapshots.commandBegins(own).then(
    () => true,
    () => false,
  );
  try {
    return await work();
  } finally {
    // The changes are made even if the disk is full. If they cannot be recorded now, the next look finds
    // them.
    if (looked) await folder.snapshots.commandEnded(own).catch(() => undefined);
  }
}
