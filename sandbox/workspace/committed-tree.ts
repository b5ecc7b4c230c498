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

/** How HEAD moved, by full ids. */
export interface MovedHead {
  from: string;
  to: string;
  /** The session's own calls moved it. */
  own: boolean;
  /** Its files are those that it has changed since one of these snapshots. */
  since: readonly string[];
}

/**
 * `tree`: the workspace `now`, with the session's files as they are in HEAD: those that differ from one of `without`,
 * trees of the workspace without its changes, and those that its own calls committed. `was`: the first of these trees,
 * with the same files as they were at the first of `since`, so that what others have changed in them since then is not
 * the session's. undefined if others moved HEAD, and all of its files are there as they were.
 */
export async function committedTree(
  store: SnapshotStore,
  repository: Repository,
  { from, to, own, since, now, without }: MovedHead & { now: string; without: readonly string[] },
): Promise<{ tree: string; was: string } | undefined> {
  const env = readingBoth(store, repository);
  const [head, before] = [await treeIn(to, repository, store), await treeIn(from, repository, store)];
  const [first = now] = since;
  const pairs = [[head, now] as const, [before, head] as const, [first, now] as const];
  const differences = await treeChanges(store, [...pairs, ...without.map((each) => [each, now] as const)], {
    env,
  });
  const [open = new Map(), moved = new Map(), begun = new Map(), ...changed] = differences;
  const isIn = (path: string) => changed.some((each) => each.has(path));
  if (!own && ![...moved.keys()].some(isIn)) return undefined;
  const entries = [...open].flatMap(([path, [entry]]) =>
    !isNested(entry) && (isIn(path) || (own && moved.has(path))) ? [[path, entry] as const] : [],
  );
  const input = entries.map(([, entry]) => (entry ? `${entry.id}\n` : "")).join("");
  await store.git(["-c", `alias.handrail=${copied}`, "handrail"], { env, input });
  const tree = await treeWith(store, now, entries);
  const old = entries.map(([path]) => {
    const [entry = null] = begun.get(path) ?? [open.get(path)?.[1]];
    return [path, entry] as const;
  });
  return { tree, was: await treeWith(store, without[0] ?? now, old) };
}

/** Copies objects into the store. Each gets the id of its content, so a forged one is missing afterwards. */
const copied =
  "!git pack-objects -q --window=0 --stdout | GIT_ALTERNATE_OBJECT_DIRECTORIES= git unpack-objects -q";
