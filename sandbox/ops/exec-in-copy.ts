// The op `exec` with `tree`: the command runs in a throwaway copy of a snapshot, at the path where commands
// see the workspace, in the jail and without a network. The only parts of the workspace itself that it sees
// are those that git ignores.
import { join } from "node:path";
import { HandrailError } from "../../shared/errors.ts";
import type { ExecArgs } from "../../shared/sandbox.ts";
import { gitConfigMount } from "../exec/git-config.ts";
import { shellProgram, withFileLimit } from "../exec/guarded.ts";
import type { ProcessSpec } from "../exec/run-process.ts";
import type { Bind } from "../jail/checked-binds.ts";
import { type Jail, jailedProcess } from "../jail/jailed-process.ts";
import { repositoryMounts } from "../jail/repository-mounts.ts";
import * as limits from "../limits.ts";
import { relativePath } from "../paths/relative-path.ts";
import { mountOf } from "../sandbox.ts";
import type { Folder } from "../workspace/folder.ts";
import { shownBinds, type TreeCopy } from "../workspace/tree-copy.ts";
import type { OpContext } from "./op-context.ts";
import { snapshotId } from "./snapshot.ts";

/** The prepared process. Call `end` after it, which deletes the copy. */
export interface CopyRun {
  process: ReturnType<typeof jailedProcess> & Pick<ProcessSpec, "disk">;
  end(): Promise<void>;
}

/**
 * Throws `unsupported` without a jail, `not_found` for an unknown snapshot, and `too_large` if the sandbox
 * has no room for the copy.
 */
export async function beginInCopy(args: ExecArgs & { tree: string }, context: OpContext): Promise<CopyRun> {
  const { sandbox, server } = context;
  const { jail } = server;
  if (!jail)
    throw new HandrailError(
      "unsupported",
      "tree: a copy of the files to run in needs the jail, which does not work on this machine. Look at single files with `git show` instead.",
    );
  const { folder, quota } = sandbox;
  const copy = await folder.snapshots.copy(await snapshotId(args.tree, sandbox), quota);
  try {
    const room = Math.max(0, await quota.roomBytes(limits.overQuotaBytes));
    const process = await inJail(jail, { ...args, copy, room }, context);
    return { process: { ...process, disk: (pids) => quota.watcher(pids) }, end: copy.end };
  } catch (error) {
    await copy.end();
    throw error;
  }
}

/** Mounts that cover this machine's sockets and FIFOs in the shown folders, as for a read-only command. */
async function masksBelow(
  shown: readonly Bind[],
  { folder, mount }: { folder: Folder; mount: string },
): Promise<string[]> {
  const { args } = await folder.guard.begin({ mount, writable: false, repositories: [], editors: false });
  const masks: string[] = [];
  // Each mask is three arguments, the last of which is its place. The copy itself contains no sockets or
  // FIFOs.
  for (let index = 0; index + 2 < args.length; index += 3) {
    const at = args[index + 2] ?? "";
    if (shown.some((bind) => at.startsWith(`${bind.at}/`))) masks.push(...args.slice(index, index + 3));
  }
  return masks;
}

async function inJail(
  jail: Jail,
  { copy, command, cwd = "", env, room }: ExecArgs & { copy: TreeCopy; room: number },
  { sandbox }: OpContext,
): Promise<ReturnType<typeof jailedProcess>> {
  const { folder } = sandbox;
  const { root } = folder;
  const mount = mountOf(sandbox);
  // A person's folder keeps its own path, where only the copy must be visible.
  const { under = [], mounts = [] } = repositoryMounts(folder.outside, {
    root,
    writable: false,
    state: jail.state,
  });
  const over = await shownBinds(copy.root, [".git", ...copy.ignored], { root, mount });
  return jailedProcess(jail, {
    ...{ root: copy.root, mount, writable: true, isolated: true, cwd: join(mount, relativePath(cwd)), env },
    ...{ under, mounts: [...mounts, ...gitConfigMount(jail.state)], over },
    held: await masksBelow(over, { folder, mount }),
    command: withFileLimit([shellProgram(), "-c", command], room),
    foreign: true,
  });
}
