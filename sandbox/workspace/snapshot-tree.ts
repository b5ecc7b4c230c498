// Makes a tree of the current workspace: decides what belongs to a snapshot, and how git is made to add it.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HandrailError } from "../../shared/errors.ts";
import { diskError } from "../paths/disk-error.ts";
import { gitProgram } from "./git-process.ts";
import type { GitOutcome, GitStep } from "./git-runner.ts";
import { liesAbove, type Repository, repositoryEnvironment } from "./repository.ts";
import { exists, isFile, listBytes, namesIn, noObject, type SnapshotStore } from "./snapshot-store.ts";
import { removeIndex, removeLeftovers } from "./store-leftovers.ts";
import {
  distrustSince,
  doubtfulFrom,
  forgetting,
  type IndexEntry,
  unsettledAmong,
} from "./unsettled-files.ts";

/** Levels of repositories within repositories. Each level takes another run of git. */
const deepestNesting = 10;

/** The id of a tree with all files that git does not ignore, including those of nested repositories. */
export async function treeOf(store: SnapshotStore, repository: Repository | undefined): Promise<string> {
  const hasIndex = await isFile(join(store.dir, "index"));
  try {
    return await treeByIndex(store, repository);
  } catch (error) {
    // On a full disk, a partly written object or pack takes up the space that is needed.
    await removeLeftovers(store.dir);
    // A power failure may have left an incomplete index. Everything in it can be read from the workspace
    // again.
    if (
      !hasIndex ||
      diskError(error, "state") ||
      !(error instanceof HandrailError) ||
      error.code !== "internal"
    )
      throw error;
    await removeIndex(store.dir);
    store.plainTree = undefined;
    store.unsettled = [];
    return treeByIndex(store, repository);
  }
}

async function treeByIndex(store: SnapshotStore, repository: Repository | undefined): Promise<string> {
  const sinceMs = doubtfulFrom(Date.now());
  const excludes = await excludesOf(store, repository);
  const tracked = trackedThoughIgnoredStep(store.root, repository);
  const known = store.plainTree;
  const index = join(store.dir, "index");
  // The first snapshot goes into packs: one file for each object would take five times as long, and a disk
  // block each.
  const bulk = (await isFile(index)) ? [] : intoPacks;
  const doubted = store.unsettled.length > 0 ? [rereadStep(store)] : [];
  // One run does everything that most workspaces need. Its result tells whether there is more to do.
  const outcomes = await store.runner.all(
    [
      ...doubted,
      addAllStep(store, [...bulk, ...excludes]),
      store.step(known ? ["diff-index", "--cached", "--raw", "-z", known] : ["ls-files", "--stage", "-z"]),
      store.step(["write-tree"]),
      ...(tracked ? [tracked] : []),
    ],
    { ...adding, maxOutputBytes: listBytes },
  );
  const [added, listed, written, ignored] = outcomes.slice(doubted.length);
  const entries = (known ? changedEntries : stagedEntries)(namesIn(listed?.stdout ?? ""));
  const links = entries.filter(({ mode }) => mode === "160000").map(({ path }) => path);
  const entered = await enterNested(store, excludes, links, added?.exitCode === 0);
  if (entered) await store.runner.one(addAllStep(store, excludes), adding);
  const forced = await presentIn(store.root, ignored);
  await addForced(store, forced);
  const more = entered || forced.length > 0;
  const tree = more ? await writeTree(store) : (written?.stdout.trim() ?? "");
  const taken = more ? stagedEntries(await store.names(["ls-files", "--stage", "-z"])) : entries;
  // Files that were in doubt may be in doubt again without having changed.
  const seen = new Map([...(known ? store.unsettled : []), ...taken].map((entry) => [entry.path, entry]));
  store.unsettled = await unsettledAmong(store.root, [...seen.values()], sinceMs);
  store.plainTree = entered || links.length > 0 ? undefined : tree;
  await distrustSince(index, sinceMs);
  return tree;
}

function rereadStep(store: SnapshotStore): GitStep {
  return store.step(["update-index", "-z", "--index-info"], { input: forgetting(store.unsettled) });
}

/**
 * Several small packs instead of one, because git searches the whole pack that it is writing for each file.
 */
const intoPacks = ["-c", "core.bigFileThreshold=1", "-c", "pack.packSizeLimit=2m"];

export async function writeTree(store: SnapshotStore): Promise<string> {
  const { stdout } = await store.git(["write-tree"]);
  return stdout.trim();
}

/** Adds paths that git would otherwise leave out. */
export async function addForced(store: SnapshotStore, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const spec = ["--pathspec-from-file=-", "--pathspec-file-nul"];
  const args = ["--literal-pathspecs", "add", "--all", "--force", "--ignore-errors", ...spec];
  await store.git(args, { accept: [0, 1], input: paths.join("\0") }, adding);
}

/** The first snapshot reads every file, which takes minutes in a large repository. */
const adding = { timeoutMs: 15 * 60_000, guard: true };

/**
 * Unreadable files are left out, so that they do not make every snapshot fail. Exit code 1 = there were some.
 */
function addAllStep(store: SnapshotStore, excludes: readonly string[]): GitStep {
  return store.step([...excludes, "add", "--all", "--ignore-errors", "--", "."], { accept: [0, 1] });
}

/** Parses the output of `git ls-files --stage -z`. */
function stagedEntries(lines: readonly string[]): IndexEntry[] {
  return lines.flatMap((line) => {
    const [, mode, id, path] = /^(\d{6}) ([0-9a-f]+) \d\t(.*)$/s.exec(line) ?? [];
    return mode && id && path ? [{ mode, id, path }] : [];
  });
}

/**
 * Parses the output of `git diff-index --cached --raw -z` into entries of the index. Deleted files are left
 * out.
 */
function changedEntries(fields: readonly string[]): IndexEntry[] {
  return fields.flatMap((field, at) => {
    if (at % 2 === 1) return [];
    const [, mode, id] = /^:\d{6} (\d{6}) [0-9a-f]+ ([0-9a-f]+) /.exec(field) ?? [];
    const path = fields[at + 1];
    return mode && mode !== "000000" && id && path ? [{ mode, id, path }] : [];
  });
}

/**
 * Adds the files of nested repositories: those at `links`, and those that git refused because they have no
 * commit yet. true = there were some.
 */
async function enterNested(
  store: SnapshotStore,
  excludes: readonly string[],
  links: readonly string[],
  clean: boolean,
): Promise<boolean> {
  let found: readonly string[] = clean ? links : [...links, ...(await closedFolders(store, excludes))];
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
 * Makes git treat these folders as plain ones. Git walks into a folder if the index has an entry inside it,
 * even if the folder is a repository (treat_directory in git's dir.c). No file belongs to the added entry, so
 * the next `add` removes it.
 */
async function enter(store: SnapshotStore, folders: readonly string[]): Promise<void> {
  const { stdout } = await store.git(["hash-object", "-w", "--stdin"], { input: "" });
  const entries = folders.map((folder) => `0 ${noObject}\t${folder}\0`);
  for (const folder of folders) entries.push(`100644 ${stdout.trim()} 0\t${folder}/.handrail-tmp-entry\0`);
  await store.git(["update-index", "-z", "--index-info"], { input: entries.join("") });
}

/**
 * Options that make git ignore what it ignores for the person, including the person's own excludes and those
 * of folders above.
 */
export async function excludesOf(
  store: SnapshotStore,
  repository: Repository | undefined,
): Promise<readonly string[]> {
  if (!repository) return [];
  const own = join(repository.commonDir, "info", "exclude");
  if (!liesAbove(repository, store.root))
    return (await isFile(own)) ? ["-c", `core.excludesFile=${own}`] : [];
  // The repository itself is asked what .gitignore files above exclude, because our store sees none of them.
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

/**
 * Files that match .gitignore but are tracked in the person's repository, so that git does not ignore them.
 */
export async function trackedThoughIgnored(
  store: SnapshotStore,
  repository: Repository | undefined,
): Promise<string[]> {
  const step = trackedThoughIgnoredStep(store.root, repository);
  if (!step) return [];
  return presentIn(store.root, await store.runner.one(step, { maxOutputBytes: listBytes }));
}

function trackedThoughIgnoredStep(root: string, repository: Repository | undefined): GitStep | undefined {
  if (!repository || !gitProgram()) return undefined;
  const env = { ...repositoryEnvironment(repository, root), GIT_ALLOW_PROTOCOL: "none" };
  const args = ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard", "--", "."];
  // A repository that git cannot read counts as having no such files.
  return { args, env, accept: [0, 1, 128, 129] };
}

async function presentIn(root: string, listed: GitOutcome | undefined): Promise<string[]> {
  if (listed?.exitCode !== 0 || listed.truncated) return [];
  const paths = namesIn(listed.stdout);
  const present = await Promise.all(paths.map((path) => exists(join(root, path))));
  return paths.filter((_, index) => present[index]);
}
