// The differences between HEAD and the workspace, computed in the snapshot store, so that nothing is written
// to the repository.
import { HandrailError } from "../../shared/errors.ts";
import type { Redactor } from "../../shared/redact/redactor.ts";
import * as limits from "../limits.ts";
import { isInside } from "../paths/inside.ts";
import type { Sandbox } from "../sandbox.ts";
import { readingBoth, treeIn } from "../workspace/committed-tree.ts";
import { literally, noObject, type SnapshotStore } from "../workspace/snapshot-store.ts";
import { treeOf } from "../workspace/snapshot-tree.ts";
import { differences } from "../workspace/spare-ignored.ts";
import { type FileStep, isNested, treeChanges } from "../workspace/tree-merge.ts";
import type { RepositoryGit } from "../worktrees/repository-git.ts";

export interface DifferentFile {
  path: string;
  /**
   * The ids of both sides, `OLD..NEW`, as in the `index` line of a difference; `..` if only the mode differs.
   */
  seen: string;
  /** The ids of both sides (zeros for no file) and their modes. */
  was: string;
  is: string;
  modes: string[];
}

export interface Uncommitted {
  files: DifferentFile[];
  /**
   * A unified difference of these files in this order, without renames. If `truncated`, only its beginning.
   */
  patch: string;
  truncated: boolean;
}

export interface DiffRequest {
  /** Only files in these places; absent = all. */
  paths?: readonly string[] | undefined;
  /** Only files that this sandbox changed. */
  own?: boolean;
  redactor?: Redactor;
}

/** Throws `unsupported` in a repository with ids other than SHA-1, because the store uses SHA-1. */
export async function uncommitted(
  sandbox: Sandbox,
  git: RepositoryGit,
  { paths, own = false, redactor }: DiffRequest,
): Promise<Uncommitted> {
  const { snapshots } = sandbox.folder;
  const { store } = snapshots;
  const { repository } = git.place;
  const head = await git.commit();
  if ((head || (await git.line("hash-object", "-t", "tree", "/dev/null")))[40])
    throw new HandrailError(
      "unsupported",
      "Commits are made where ids are SHA-1; this repository has SHA-256.",
    );
  const env = readingBoth(store, repository);
  return snapshots.alone(async () => {
    await store.prepare();
    const tree = await treeIn(head, repository, store);
    const now = await treeOf(store, repository);
    const asked = own ? await ownPaths(sandbox, store, now) : paths;
    const [changes = new Map()] = await treeChanges(store, [[tree, now]], { env });
    const differing = filesOf([...changes]);
    const files = asked
      ? differing.filter(({ path }) => asked.some((each) => isInside(each, path)))
      : differing;
    if (files.length === 0) return { files, patch: "", truncated: false };
    const names = files.slice(0, maxNames).map(({ path }) => path);
    const { stdout, truncated } = await store.git(
      [...literally, "diff-tree", "-r", "--no-renames", "--full-index", "-p", tree, now, "--", ...names],
      { env },
      { maxOutputBytes: limits.diffBytes, redactor },
    );
    return { files, patch: stdout, truncated: truncated || files.length > maxNames };
  });
}

/** The highest number of names in one list of arguments. */
const maxNames = 2_000;

async function ownPaths({ own, record }: Sandbox, store: SnapshotStore, now: string) {
  const { baseSnapshot } = record;
  if (!own || baseSnapshot === undefined) return undefined;
  await own.settle(store, now);
  const { tree } = await own.since(store, baseSnapshot);
  return (await differences(store, tree, now)).map(({ path }) => path);
}

/** The changed files, without nested repositories and their files. */
function filesOf(changes: readonly (readonly [path: string, step: FileStep])[]): DifferentFile[] {
  const within = changes.flatMap(([path, step]) => (step.some(isNested) ? [`${path}/`] : []));
  return changes.flatMap(([path, step]) => {
    if (step.some(isNested) || within.some((folder) => path.startsWith(folder))) return [];
    const [was = "", is = ""] = step.map((entry) => entry?.id ?? noObject);
    const modes = step.map((entry) => entry?.mode ?? "000000");
    return [{ path, seen: was === is ? ".." : `${was}..${is}`, was, is, modes }];
  });
}
