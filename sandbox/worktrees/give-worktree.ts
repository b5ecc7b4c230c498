// Moves a sandbox that shares a served folder into its own git worktree. Its uncommitted changes move with it
// and are removed from the folder; changes of others stay there. Its journal, snapshots and undo continue as
// before.
import { join } from "node:path";
import { HandrailError } from "../../shared/errors.ts";
import type { ServerContext } from "../context.ts";
import { type Sandbox, saveRecord } from "../sandbox.ts";
import { DiskQuota } from "../workspace/disk-quota.ts";
import type { Folder } from "../workspace/folder.ts";
import { choose } from "../workspace/tree-merge.ts";
import { addWorktree } from "./add-worktree.ts";
import { carried, leave } from "./leave-folder.ts";
import { worktreeFolder } from "./worktree-place.ts";

/**
 * Throws `invalid_request` while a turn of the sandbox runs, and `unsupported` if its folder cannot have a
 * worktree.
 */
export async function giveWorktree(
  sandbox: Sandbox,
  { registry, jail, options }: ServerContext,
  name: string | undefined,
): Promise<void> {
  const { record, folder, own } = sandbox;
  if (record.worktree || record.owned || !own)
    throw new HandrailError("invalid_request", "This session has files of its own already.");
  await sandbox.beginning;
  mustRest(sandbox);
  // Background commands work in the folder that the sandbox leaves.
  await sandbox.background.endAll();
  await folder.lock.with("change", async () => {
    mustRest(sandbox);
    const path = join(sandbox.dir, worktreeFolder);
    const made = await addWorktree({ folder, path, name, jail });
    const into = await registry.folders.get(made.root);
    await into.belongTo(made.repository);
    const now = await folder.snapshots.take(record.id, own);
    const { tree, rest } = await shares(sandbox, into, now);
    await into.snapshots.restore(tree, record.id);
    sandbox.folder = into;
    sandbox.quota = new DiskQuota({
      root: into.root,
      maxBytes: options.diskQuotaBytes,
      baseBytes: 0,
      baseFiles: 0,
    });
    record.root = into.root;
    record.worktree = { of: folder.root, branch: made.branch, from: made.from };
    record.headLog = undefined;
    record.leaving = { root: folder.root, now, rest };
    // From here on the worktree has the changes, whatever happens next: a server that starts finishes the
    // move.
    await saveRecord(sandbox);
    await leave(sandbox, folder);
    await into.snapshots.take(record.id, own);
  });
}

/**
 * `tree`: the content of the worktree, which is HEAD plus the sandbox's changes. `rest`: the remaining
 * content of the folder, in its own store. Files in which both sides changed the same lines stay in the
 * folder unchanged and are also copied whole.
 */
async function shares(
  { folder, record, own }: Sandbox,
  into: Folder,
  now: string,
): Promise<{ tree: string; rest: string }> {
  const [from, to] = [folder.snapshots.store, into.snapshots.store];
  const head = await into.snapshots.take(record.id);
  return folder.snapshots.alone(() =>
    into.snapshots.alone(async () => {
      await to.share(from);
      for (const tree of await from.keptBy(record.id)) await to.keep(record.id, tree);
      const since = await own?.since(from, record.baseSnapshot ?? now);
      const { tree: without = now, mixed = [] } = since ?? {};
      const mine = await carried(to, head, [without, now]);
      const tree = await choose(to, {
        ...{ tree: mine.tree, now, snapshot: now },
        ...{ mixed: [], also: mine.mixed, except: [] },
      });
      const left = await carried(to, now, [tree, head]);
      const rest = await choose(to, { tree: left.tree, now, snapshot: now, mixed, also: [], except: [] });
      await to.keep(record.id, tree);
      await from.share(to);
      await from.keep(record.id, rest);
      return { tree, rest };
    }),
  );
}

function mustRest({ journal }: Sandbox): void {
  if (![...journal.turns.values()].some((turn) => !turn.finished && turn.attendance.attended)) return;
  throw new HandrailError("invalid_request", "A turn of this session runs. Stop it first.", {
    retryable: true,
  });
}
