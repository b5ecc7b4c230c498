// The ops `snapshot` and `restore`.
import { HandrailError } from "../../shared/errors.ts";
import type { RestoreArgs, RestoreValue, SnapshotValue } from "../../shared/snapshot.ts";
import type { Jail } from "../jail/jailed-process.ts";
import type { GuardedRun } from "../jail/protected-guard.ts";
import { beginGuards } from "../jail/protected-run.ts";
import { changeablePath } from "../paths/relative-path.ts";
import { mountOf, type Sandbox } from "../sandbox.ts";
import type { Folder } from "../workspace/folder.ts";
import { neededGit } from "../workspace/git-process.ts";
import type { OpContext } from "./op-context.ts";

export async function snapshot({ sandbox: { folder, record, own } }: OpContext): Promise<SnapshotValue> {
  neededGit();
  return { snapshot: await folder.snapshots.take(record.id, own) };
}

/** Returns the snapshot taken before, which undoes the restore. */
export async function restore(
  { snapshot, path, seen, hunk, own: onlyOwn, also = [], except = [] }: RestoreArgs,
  { sandbox, server }: OpContext,
): Promise<RestoreValue> {
  neededGit();
  const { folder, record } = sandbox;
  const from = await snapshotId(snapshot, sandbox);
  const own = onlyOwn ? sandbox.own : undefined;
  const place = { folder, mount: mountOf(sandbox) };
  const mine = onlyOwn ? { own, also, except } : undefined;
  if (path === undefined && seen === undefined && hunk === undefined) {
    const work = () => folder.snapshots.restore(from, record.id, mine);
    const { committed, ...value } = await swept(server.jail, place, work);
    // Anyone may have written a commit's message.
    const commit = server.redactor.redact(committed?.commit ?? "");
    return { ...value, ...(committed ? { committed: { ...committed, commit } } : {}) };
  }
  if (path === undefined || seen === undefined)
    throw new HandrailError(
      "invalid_request",
      "path, seen: one file comes back only with both; `seen` is its id in the `index` line of the difference.",
    );
  const file = { path: changeablePath(path), seen, hunk };
  return {
    snapshot: await swept(server.jail, place, () => folder.snapshots.revert(from, record.id, file, own)),
  };
}

/**
 * Restored files may form a repository together with existing ones, so the guard sweeps after `work` as it
 * does after a command. `editors`: whether editors' settings may be restored. Those in a snapshot were the
 * person's own, or allowed, when it was taken.
 */
export async function swept<T>(
  jail: Jail | undefined,
  { folder, mount }: { folder: Folder; mount: string },
  work: (guard?: GuardedRun) => Promise<T>,
  { editors = true } = {},
): Promise<T> {
  if (!jail) return work();
  const repositories = folder.outside ? [folder.outside.commonDir, folder.outside.gitDir] : [];
  const guard = await beginGuards(folder, { mount, writable: true, repositories, editors });
  try {
    return await work(guard);
  } finally {
    await guard.end();
  }
}

/** Resolves `start` to the snapshot that was taken when the sandbox was made. */
export async function snapshotId(name: string, sandbox: Sandbox): Promise<string> {
  if (name !== "start") return name;
  await sandbox.beginning;
  const { baseSnapshot } = sandbox.record;
  if (baseSnapshot !== undefined) return baseSnapshot;
  throw new HandrailError(
    "unsupported",
    "This sandbox has no first snapshot: git or room on the disk was missing.",
  );
}
