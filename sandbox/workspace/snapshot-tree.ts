// Makes a tree of the workspace as it stands: what belongs to a snapshot, and how git is brought to take it.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gitProgram, runGit } from "./git-process.ts";
import { liesAbove, type Repository, repositoryEnvironment } from "./repository.ts";
import { exists, isFile, listBytes, type SnapshotStore } from "./snapshot-store.ts";

/** Repositories in repositories in repositories: each level is one more look. */
const deepestNesting = 10;
const noObject = "0".repeat(40);

/** The id of a tree with all files that git does not ignore, those of nested repositories included. */
export async function treeOf(store: SnapshotStore, repository: Repository | undefined): Promise<string> {
  const excludes = await excludesOf(store, repository);
  const clean = await addAll(store, excludes);
  if (await enterNested(store, excludes, clean)) await addAll(store, excludes);
  await addForced(store, await trackedThoughIgnored(store.root, repository));
  return writeTree(store);
}

export async function writeTree(store: SnapshotStore): Promise<string> {
  const { stdout } = await store.git(["write-tree"]);
  return stdout.trim();
}

/** Takes paths that git would leave out by itself. */
export async function addForced(store: SnapshotStore, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const spec = ["--pathspec-from-file=-", "--pathspec-file-nul"];
  await store.git(["--literal-pathspecs", "add", "--all", "--force", "--ignore-errors", ...spec], {
    ...adding,
    input: paths.join("\0"),
  });
}

/** The first time every file is read; a large repository takes minutes. */
const adding = { accept: [0, 1], timeoutMs: 15 * 60_000, guard: true };

/** Files that may not be read are left out rather than making every snapshot fail; false = there were some. */
async function addAll(store: SnapshotStore, excludes: readonly string[]): Promise<boolean> {
  const args = [...excludes, "add", "--all", "--ignore-errors", "--", "."];
  return (await store.git(args, adding)).exitCode === 0;
}

/** Opens the folders that git took for one commit of another repository, or refused since there is none yet; true = some. */
async function enterNested(
  store: SnapshotStore,
  excludes: readonly string[],
  clean: boolean,
): Promise<boolean> {
  const links = (await store.names(["ls-files", "--stage", "-z"]))
    .filter((entry) => entry.startsWith("160000 "))
    .map((entry) => entry.slice(entry.indexOf("\t") + 1));
  let found = clean ? links : [...links, ...(await closedFolders(store, excludes))];
  const entered = new Set<string>();
  for (let level = 0; level < deepestNesting && found.length > 0; level++) {
    await enter(store, found);
    for (const folder of found) entered.add(folder);
    found = (await closedFolders(store, excludes)).filter((folder) => !entered.has(folder));
  }
  return entered.size > 0;
}

/** Untracked folders that git does not look into. */
async function closedFolders(store: SnapshotStore, excludes: readonly string[]): Promise<string[]> {
  const left = await store.names([...excludes, "ls-files", "--others", "--exclude-standard", "-z"]);
  return left.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1));
}

/**
 * Makes git see plain folders there: it walks into a folder that holds an entry of its index, repository or not
 * (treat_directory in git's dir.c). The entry is of no file, so that the next look takes it out again.
 */
async function enter(store: SnapshotStore, folders: readonly string[]): Promise<void> {
  const { stdout } = await store.git(["hash-object", "-w", "--stdin"], { input: "" });
  const entries = folders.map((folder) => `0 ${noObject}\t${folder}\0`);
  for (const folder of folders) entries.push(`100644 ${stdout.trim()} 0\t${folder}/.handrail-tmp-entry\0`);
  await store.git(["update-index", "-z", "--replace", "--add", "--index-info"], { input: entries.join("") });
}

/** Options under which git ignores here what it ignores for the person, their own excludes and folders above included. */
export async function excludesOf(
  store: SnapshotStore,
  repository: Repository | undefined,
): Promise<readonly string[]> {
  if (!repository) return [];
  const own = join(repository.commonDir, "info", "exclude");
  if (!liesAbove(repository, store.root))
    return (await isFile(own)) ? ["-c", `core.excludesFile=${own}`] : [];
  // What .gitignore files above say is asked of the repository, since our store sees none of them.
  const env = { ...repositoryEnvironment(repository, store.root), GIT_ALLOW_PROTOCOL: "none" };
  const ignored = await store.names(
    ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--", "."],
    { env },
  );
  const file = join(store.dir, "inherited-excludes");
  await writeFile(file, ignored.map((path) => `${asPattern(path)}\n`).join(""));
  return ["-c", `core.excludesFile=${file}`];
}

function asPattern(path: string): string {
  return `/${path.replace(/[\\*?[ !#]/g, "\\$&").replace(/[\n\r]/g, "?")}`;
}

/** Files that match .gitignore but are in the person's repository all the same: git does not ignore those. */
export async function trackedThoughIgnored(
  root: string,
  repository: Repository | undefined,
): Promise<string[]> {
  if (!repository || !gitProgram()) return [];
  const env = { ...repositoryEnvironment(repository, root), GIT_ALLOW_PROTOCOL: "none" };
  const args = ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard", "--", "."];
  // A repository that git cannot read has no such files for us.
  const run = { cwd: root, env, maxOutputBytes: listBytes, accept: [0, 1, 128, 129] };
  const { exitCode, stdout, truncated } = await runGit(args, run);
  if (exitCode !== 0 || truncated) return [];
  const paths = stdout.split("\0").filter(Boolean);
  const present = await Promise.all(paths.map((path) => exists(join(root, path))));
  return paths.filter((_, index) => present[index]);
}
