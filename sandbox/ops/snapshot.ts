// The ops `snapshot` and `restore`.
import { HandrailError } from "../../shared/errors.ts";
import type { RestoreArgs, SnapshotValue } from "../../shared/sandbox.ts";
import { Snapshots } from "../workspace/snapshots.ts";
import type { OpContext } from "./op-context.ts";

export async function snapshot({ sandbox: { folder, record } }: OpContext): Promise<SnapshotValue> {
  mustHaveGit();
  return { snapshot: await folder.snapshots.take(record.id) };
}

/** The value is the snapshot taken before, which undoes the restore. */
export async function restore(
  args: RestoreArgs,
  { sandbox: { folder, record } }: OpContext,
): Promise<SnapshotValue> {
  mustHaveGit();
  return { snapshot: await folder.snapshots.restore(args.snapshot, record.id) };
}

function mustHaveGit(): void {
  if (Snapshots.available) return;
  throw new HandrailError(
    "unsupported",
    "Snapshots need git, which is not installed where the sandbox runs.",
  );
}
