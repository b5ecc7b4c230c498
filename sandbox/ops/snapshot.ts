// The ops `snapshot` and `restore`.
import { HandrailError } from "../../shared/errors.ts";
import type { RestoreArgs, RestoreValue, SnapshotValue } from "../../shared/snapshot.ts";
import { changeablePath } from "../paths/relative-path.ts";
import type { Sandbox } from "../sandbox.ts";
import { Snapshots } from "../workspace/snapshots.ts";
import type { OpContext } from "./op-context.ts";

export async function snapshot({ sandbox: { folder, record } }: OpContext): Promise<SnapshotValue> {
  mustHaveGit();
  return { snapshot: await folder.snapshots.take(record.id) };
}

/** The value is the snapshot taken before, which undoes the restore. */
export async function restore(
  { snapshot, path, seen, hunk }: RestoreArgs,
  { sandbox }: OpContext,
): Promise<RestoreValue> {
  mustHaveGit();
  const { folder, record } = sandbox;
  const from = await snapshotId(snapshot, sandbox);
  if (path === undefined && seen === undefined && hunk === undefined)
    return folder.snapshots.restore(from, record.id);
  if (path === undefined || seen === undefined)
    throw new HandrailError(
      "invalid_request",
      "path, seen: one file comes back only with both; `seen` is its id in the `index` line of the difference.",
    );
  return {
    snapshot: await folder.snapshots.revert(from, record.id, { path: changeablePath(path), seen, hunk }),
  };
}

/** `start` as the snapshot that was taken when the sandbox was made. */
export async function snapshotId(name: string, sandbox: Sandbox): Promise<string> {
  if (name !== "start") return name;
  await sandbox.beginning;
  const { baseSnapshot } = sandbox.record;
  if (baseSnapshot !== undefined) return baseSnapshot;
  throw new HandrailError("unsupported", "This sandbox has no snapshot of its beginning: git was not there.");
}

function mustHaveGit(): void {
  if (Snapshots.available) return;
  throw new HandrailError(
    "unsupported",
    "Snapshots need git, which is not installed where the sandbox runs.",
  );
}
