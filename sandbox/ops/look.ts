// The op `look`: reports files that have changed since the model read them, and a HEAD that others have
// moved. A move is reported once.
import { HandrailError } from "../../shared/errors.ts";
import type { Head, LookArgs, LookValue } from "../../shared/look.ts";
import { relativePath } from "../paths/relative-path.ts";
import { readTextFile } from "../paths/text-file.ts";
import { type Sandbox, saveRecord } from "../sandbox.ts";
import { headMark, headOf } from "../workspace/head.ts";
import { Snapshots } from "../workspace/snapshots.ts";
import type { OpContext } from "./op-context.ts";
import { seeMoves } from "./own-commits.ts";

export async function look({ files = [] }: LookArgs, { sandbox, server }: OpContext): Promise<LookValue> {
  const now = await Promise.all(
    files.map(async ({ path, version }) => ({
      path,
      known: version,
      version: await versionOf(sandbox, path),
    })),
  );
  const moved = await seeHead(sandbox);
  return {
    files: now
      .filter(({ known, version }) => known !== version)
      .map(({ path, version }) => ({ path, version })),
    ...(moved ? { moved: { from: told(moved.from, server), to: told(moved.to, server) } } : {}),
  };
}

/** Anyone may have chosen the names of branches and the subjects of commits. */
function told({ branch, commit }: Head, { redactor }: OpContext["server"]): Head {
  return { branch: branch && redactor.redact(branch), commit: redactor.redact(commit) };
}

/** null if there is no such file or it cannot be read as text. */
async function versionOf({ folder }: Sandbox, path: string): Promise<string | null> {
  try {
    const file = await readTextFile(folder.root, relativePath(path));
    return await folder.versions.idOf(file.path, file.bytes);
  } catch (error) {
    if (error instanceof HandrailError) return null;
    throw error;
  }
}

/** Runs `work`. If it moves HEAD, the move is this sandbox's own and is not reported. Its commits are recorded. */
export async function ownMoves<T>(sandbox: Sandbox, work: () => Promise<T>): Promise<T> {
  await seeMoves(sandbox);
  const before = await headMark(sandbox.folder);
  sandbox.moving += 1;
  try {
    return await work();
  } finally {
    sandbox.moving -= 1;
    if (before.mark !== (await headMark(sandbox.folder)).mark) {
      await seeMoves(sandbox, true);
      // If no look has recorded HEAD, there is nothing to compare with.
      if (sandbox.record.head) await seeHead(sandbox);
    }
  }
}

/** Records HEAD, and returns where it moved from and to since it was last seen, if it moved. */
async function seeHead(sandbox: Sandbox): Promise<LookValue["moved"]> {
  if (!Snapshots.available) return undefined;
  const from = sandbox.record.head;
  const to = await headOf(sandbox.folder).catch(() => undefined);
  if (!to || (from && same(from, to))) return undefined;
  sandbox.record.head = to;
  await saveRecord(sandbox);
  return from && { from, to };
}

function same(one: Head, other: Head): boolean {
  return one.branch === other.branch && one.commit === other.commit;
}
