// Attributes the changes of a call that may write anywhere: whatever differs afterwards counts as the sandbox's.
import type { Sandbox } from "../sandbox.ts";

/** Runs `work`, which has the folder for itself, and looks at the folder before and after it. */
export async function attributed<T>(sandbox: Sandbox, work: () => Promise<T>): Promise<T> {
  const { own, folder } = sandbox;
  if (!own) return work();
  await sandbox.beginning;
  // A folder that cannot be looked at is worked in all the same; what is different then is nobody's own.
  const begun = await folder.snapshots.commandBegins(own).then(
    () => true,
    () => false,
  );
  try {
    return await work();
  } finally {
    if (begun) await folder.snapshots.commandEnded(own);
  }
}
