// Attributes the changes of a call that may write anywhere: whatever differs afterwards counts as the sandbox's.
import { callFailed, diskError } from "../paths/disk-error.ts";
import { beginIn, type Sandbox } from "../sandbox.ts";

/** Before anything is written: without a snapshot of the beginning there is no way back to it. Throws `disk_full`. */
export async function begun(sandbox: Sandbox): Promise<void> {
  await sandbox.beginning;
  await beginIn(sandbox).catch((error: unknown) => {
    const full = diskError(error, "state", callFailed);
    if (full) throw full;
  });
}

/** Runs `work`, which has the folder for itself, and looks at the folder before and after it. */
export async function attributed<T>(sandbox: Sandbox, work: () => Promise<T>): Promise<T> {
  const { own, folder } = sandbox;
  await begun(sandbox);
  if (!own) return work();
  // A folder that cannot be inspected is used nevertheless; changes in it then belong to nobody.
  const looked = await folder.snapshots.commandBegins(own).then(
    () => true,
    () => false,
  );
  try {
    return await work();
  } finally {
    // The changes are made, even if the disk is full: what cannot be recorded now is found at the next look.
    if (looked) await folder.snapshots.commandEnded(own).catch(() => undefined);
  }
}
