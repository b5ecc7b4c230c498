// Tells which of given paths git ignores. Git itself decides, so that nested .gitignore files also count
// outside of repositories.
import { liesAbove, type Repository, repositoryEnvironment } from "./repository.ts";
import { listBytes, type SnapshotStore } from "./snapshot-store.ts";
import { excludesOf } from "./snapshot-tree.ts";

/**
 * `paths` are relative to the workspace. The rules now on the disk decide, whether a file is tracked or not.
 */
export async function ignoredAmong(
  store: SnapshotStore,
  repository: Repository | undefined,
  paths: readonly string[],
): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  await store.prepare();
  const above = liesAbove(repository, store.root);
  const env = above ? repositoryEnvironment(repository, store.root) : store.environment;
  const excludes = above ? [] : await excludesOf(store, repository);
  const outcome = await store.runner.one(
    {
      args: [...excludes, "check-ignore", "--stdin", "-z", "--no-index"],
      env,
      // With `./` in front, a leading colon is not read as pathspec magic.
      input: paths.map((path) => `./${path}`).join("\0"),
      accept: [0, 1],
    },
    { maxOutputBytes: listBytes },
  );
  return new Set(outcome.stdout.split("\0").map((path) => path.slice(2)));
}
