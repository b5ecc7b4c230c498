// Keeps a restore from removing files that the restored .gitignore rules ignore. Changes only the store's
// index, and the rules' files themselves.
import { ignoredAmong } from "./ignored.ts";
import type { Repository } from "./repository.ts";
import type { SnapshotStore } from "./snapshot-store.ts";
import { trackedThoughIgnored } from "./snapshot-tree.ts";

/**
 * Removes from the index the files that the rules of `snapshot` ignore, so that the restore leaves them in
 * place.
 */
export async function spareIgnored(
  store: SnapshotStore,
  repository: Repository | undefined,
  { before, snapshot }: { before: string; snapshot: string },
): Promise<void> {
  const changes = await differences(store, before, snapshot);
  const going = changes.filter(({ status, path }) => status === "D" && !isRules(path));
  if (going.length === 0) return;
  const rules = changes.filter(({ path }) => isRules(path)).map(({ path }) => path);
  if (rules.length > 0) {
    const spec = ["--pathspec-from-file=-", "--pathspec-file-nul"];
    const source = ["restore", `--source=${snapshot}`, "--staged", "--worktree", ...spec];
    const options = { writable: true, timeoutMs: 15 * 60_000 };
    await store.git(["--literal-pathspecs", ...source], { input: rules.join("\0") }, options);
  }
  const paths = going.map(({ path }) => path);
  const ignored = await ignoredAmong(store, repository, paths);
  for (const path of await trackedThoughIgnored(store, repository)) ignored.delete(path);
  if (ignored.size === 0) return;
  await store.git(["update-index", "-z", "--force-remove", "--stdin"], { input: [...ignored].join("\0") });
}

/**
 * The differences from the tree `from` to the tree `to`, with the `status` of `git diff-tree --name-status`.
 */
export async function differences(
  store: SnapshotStore,
  from: string,
  to: string,
): Promise<{ status: string; path: string }[]> {
  const args = ["diff-tree", "-r", "-z", "--name-status", "--no-renames", from, to];
  const fields = await store.names(args);
  return fields.flatMap((status, index) =>
    index % 2 === 0 ? [{ status, path: fields[index + 1] ?? "" }] : [],
  );
}

function isRules(path: string): boolean {
  return path === ".gitignore" || path.endsWith("/.gitignore");
}
