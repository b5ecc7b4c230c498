// Describes what a restore reverts: which files, and which of them a commit contains in their previous state.
// No restore moves HEAD.
import type { RestoreValue } from "../../shared/snapshot.ts";
import * as limits from "../limits.ts";
import { type Repository, repositoryEnvironment } from "./repository.ts";
import { literally, namesIn, type SnapshotStore } from "./snapshot-store.ts";
import { listedEntries, sameEntry } from "./tree-merge.ts";

export type TakenBack = Pick<RestoreValue, "files" | "committed">;

/** `changes`: the differences between the tree `before` and the restored one. */
export async function takenBack(
  store: SnapshotStore,
  repository: Repository | undefined,
  { before, changes }: { before: string; changes: readonly { status: string; path: string }[] },
): Promise<TakenBack> {
  const files = changes.slice(0, limits.restoredNames).map(({ status, path }) => ({
    path,
    now: status === "A" ? ("there" as const) : status === "D" ? ("gone" as const) : ("changed" as const),
  }));
  const committed =
    repository &&
    (await inCommit(
      store,
      repository,
      before,
      files.map(({ path }) => path),
    ));
  return { files, ...(committed ? { committed } : {}) };
}

/** The commits that contain files of `paths` in the same state as the tree `now`, each with its files. */
export async function commitsOf(
  store: SnapshotStore,
  repository: Repository,
  now: string,
  paths: readonly string[],
): Promise<{ commit: string; files: string[] }[]> {
  const named = paths.slice(0, limits.restoredNames);
  const same = (await inCommit(store, repository, now, named))?.files ?? [];
  if (same.length === 0) return [];
  const env = { ...repositoryEnvironment(repository, store.root), GIT_ALLOW_PROTOCOL: "none" };
  const args = [
    ...literally,
    "log",
    "-z",
    "--format=%x01%h %s",
    "--name-only",
    "--relative",
    "--no-renames",
    "--",
    ...same,
  ];
  const { stdout } = await store.runner.one({ args, env, accept: [0, 1, 128, 129] });
  const open = new Set(same);
  const found: { commit: string; files: string[] }[] = [];
  for (const part of stdout.split("\x01").slice(1)) {
    // Git puts a line feed between the subject and the first name. A name may contain one too.
    const [commit = "", first = "", ...more] = part.split("\0");
    const files = [first.replace(/^\n/, ""), ...more];
    // Each file is listed with the newest commit that contains this content.
    const newest = files.filter((path) => open.delete(path));
    if (newest.length > 0) found.push({ commit, files: newest });
    if (open.size === 0) break;
  }
  return found;
}

async function inCommit(
  store: SnapshotStore,
  repository: Repository,
  before: string,
  paths: readonly string[],
): Promise<RestoreValue["committed"]> {
  if (paths.length === 0) return undefined;
  const env = { ...repositoryEnvironment(repository, store.root), GIT_ALLOW_PROTOCOL: "none" };
  const accept = [0, 1, 128, 129];
  const [held, head, log] = await store.runner.all([
    store.step([...literally, "ls-tree", "-r", "-z", before, "--", ...paths]),
    { args: [...literally, "ls-tree", "-r", "-z", "HEAD", "--", ...paths], env, accept },
    { args: ["log", "-1", "--format=%h %s"], env, accept },
  ]);
  // A repository without a commit has no HEAD.
  if (head?.exitCode !== 0 || log?.exitCode !== 0) return undefined;
  const [were, are] = [listedEntries(namesIn(held?.stdout ?? "")), listedEntries(namesIn(head.stdout))];
  const same = paths.filter((path) => sameEntry(were.get(path) ?? null, are.get(path) ?? null));
  return same.length > 0 ? { commit: log.stdout.trim(), files: same } : undefined;
}
