// Makes the tree from which a session's changes count after a commit.
import { join, relative } from "node:path";
import type { Repository } from "./repository.ts";
import { literally, type SnapshotStore } from "./snapshot-store.ts";
import { isNested, listedEntries, treeChanges, treeWith } from "./tree-merge.ts";

/** Git knows this tree without storing it. */
export const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/**
 * The workspace's tree in a commit, with a name for `readingBoth`: of the whole repository or of one of its folders. The
 * empty tree if the folder is not there, or if there is no commit ("" or zeros).
 */
export async function treeIn(commit: string, repository: Repository, store: SnapshotStore): Promise<string> {
  if (/^0*$/.test(commit)) return emptyTree;
  const folder = relative(repository.top, store.root);
  if (folder === "") return `${commit}^{tree}`;
  const args = [...literally, "ls-tree", "-d", "-z", commit, folder];
  const listed = listedEntries(await store.names(args, { env: readingBoth(store, repository) }));
  return listed.get(folder)?.id ?? emptyTree;
}

/**
 * The environment in which git also reads what only the repository has. No snapshot may depend on that, because
 * commands can delete and forge objects there.
 */
export function readingBoth({ environment }: SnapshotStore, { commonDir }: Repository) {
  return { ...environment, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(commonDir, "objects")) };
}

/** Full ids: HEAD, and where it was before the session's own calls first moved it. */
export interface Commits {
  head: string;
  from: string;
}

/**
 * The tree `now` of the workspace, with the session's files as they are in HEAD. The session's files are those that
 * differ from `without`, the workspace without its changes, and those that were committed since `from`.
 */
export async function committedTree(
  store: SnapshotStore,
  repository: Repository,
  { head, from, now, without }: Commits & { now: string; without: string },
): Promise<string> {
  const env = readingBoth(store, repository);
  const [tree, before] = [await treeIn(head, repository, store), await treeIn(from, repository, store)];
  const pairs = [[tree, now] as const, [before, tree] as const, [without, now] as const];
  const [open = new Map(), ...changed] = await treeChanges(store, pairs, { env });
  const entries = [...open].flatMap(([path, [entry]]) =>
    !isNested(entry) && changed.some((each) => each.has(path)) ? [[path, entry] as const] : [],
  );
  const input = entries.map(([, entry]) => (entry ? `${entry.id}\n` : "")).join("");
  await store.git(["-c", `alias.handrail=${copied}`, "handrail"], { env, input });
  return treeWith(store, now, entries);
}

/** Copies objects into the store. Each gets the id of its content, so a forged one is missing afterwards. */
const copied =
  "!git pack-objects -q --window=0 --stdout | GIT_ALTERNATE_OBJECT_DIRECTORIES= git unpack-objects -q";
