// Brings a session's work back to the folder. The folder's current commit is merged into the worktree, where
// conflicts are found and resolved. The folder itself is only fast-forwarded to the result, or gets some of
// its files.
import { HandrailError } from "../../shared/errors.ts";
import type { BringBack, BroughtBack } from "../../shared/worktree.ts";
import type { ServerContext } from "../context.ts";
import { isRepository, treeChanges } from "../delivery/tree-changes.ts";
import * as limits from "../limits.ts";
import { swept } from "../ops/snapshot.ts";
import { relativePath } from "../paths/relative-path.ts";
import { readTextFile } from "../paths/text-file.ts";
import type { Sandbox } from "../sandbox.ts";
import { standing } from "../workspace/overwritten.ts";
import { movedOn } from "../workspace/revert-file.ts";
import { literal } from "../workspace/snapshot-store.ts";
import { isNested, listedEntries } from "../workspace/tree-merge.ts";
import { type BothSides, bothSides } from "./both-sides.ts";
import { treeNow } from "./own-index.ts";
import { mustBeTrue } from "./true-objects.ts";
import { conflictPaths, seenStateId, unmerged } from "./worktree-state.ts";

const nothing: BroughtBack = { done: false, files: [], conflicts: [], blocked: [] };

/**
 * Throws `invalid_request` with git's message if git refuses. Nothing is ever lost, because all work is on
 * the branch.
 */
export async function bringBack(
  sandbox: Sandbox,
  request: BringBack,
  server: ServerContext,
): Promise<BroughtBack> {
  const { worktree } = sandbox.record;
  if (!worktree) throw new HandrailError("invalid_request", "This session has no worktree of its own.");
  const folder = await server.registry.folders.get(worktree.of);
  // The locks are always taken in this order, so that two calls never wait for each other.
  return folder.lock.with("change", () =>
    sandbox.folder.lock.with("change", async () => {
      const message = request.message?.trim() || `Work of a session on ${worktree.branch}`;
      const sides = await bothSides(sandbox, server);
      const session = await commitAll(sandbox, sides, { ...request, message });
      const { conflicts, head } = await takeIn(sandbox, sides, { ...request, session }, server);
      if (conflicts.length > 0) {
        const tree = await sides.inWorktree.line("rev-parse", `${session}^{tree}`);
        return { ...nothing, conflicts, seen: seenStateId(tree, { ...sides, tips: [session] }) };
      }
      return deliver(sides, { ...request, head }, server);
    }),
  );
}

/**
 * Commits the worktree's uncommitted changes, including the resolution of an earlier merge, and returns the
 * commit.
 */
async function commitAll(
  sandbox: Sandbox,
  sides: BothSides,
  { message, seen }: { message: string; seen?: string | undefined },
): Promise<string> {
  const { inWorktree, commits, tips } = sides;
  const { session } = commits;
  for (const path of conflictPaths(await unmerged(inWorktree))) {
    if (!/^(<{7}|>{7}) /m.test(await textOf(sandbox, path))) continue;
    throw new HandrailError(
      "invalid_request",
      `${path} still has conflict marks. Have the session resolve them, then bring it back.`,
    );
  }
  const tree = await treeNow(inWorktree);
  const changed = await treeChanges(inWorktree, commits.base ?? commits.folder, tree);
  const link = [...changed].find(([, [was, is]]) => isNested(is) && !isNested(was));
  if (link) throw isRepository(link[0]);
  if (seen !== undefined && seen !== seenStateId(tree, sides)) throw movedOn("The worktree or its folder");
  if (tips.length > 1 || tree !== (await inWorktree.line("rev-parse", `${session}^{tree}`)))
    return commitTree(inWorktree, tree, tips, message);
  // Staged changes may differ from the files, and a merge would fail because of them.
  await inWorktree.run(["reset", "--quiet", session]);
  return session;
}

/** Makes a commit and moves the branch to it. The files stay unchanged, and a merge in progress is over. */
async function commitTree(
  git: BothSides["inWorktree"],
  tree: string,
  parents: readonly string[],
  message: string,
): Promise<string> {
  const of = parents.flatMap((each) => ["-p", each]);
  const made = await git.line("commit-tree", tree, ...of, "-m", message);
  await git.run(["reset", "--quiet", made]);
  return made;
}

/**
 * Merges the folder's commit into `session` and returns the conflicts. These are left in the files only if
 * `leave` asks for it.
 */
async function takeIn(
  sandbox: Sandbox,
  { inWorktree, commits, branch }: BothSides,
  { choices = {}, leave = false, session }: BringBack & { session: string },
  server: ServerContext,
): Promise<{ conflicts: BroughtBack["conflicts"]; head: string }> {
  const { folder } = commits;
  const bases = (await inWorktree.maybe("merge-base", "--all", folder, session)).split("\n");
  const conflicts: BroughtBack["conflicts"] = [];
  await mustBeTrue(inWorktree, ...bases, folder, session);
  if (bases[0] === folder) return { conflicts, head: session };
  const merge = ["merge", "--no-ff", "--no-commit", "--no-edit", "--quiet", "-m", `Merge ${branch}`, folder];
  await inWorktree.run(merge, [0, 1]);
  const open: string[] = [];
  const noted = await unmerged(inWorktree);
  for (const path of conflictPaths(noted)) {
    const whose = choices[path];
    if (whose === undefined) open.push(path);
    else await take(inWorktree, path, whose);
  }
  if (open.length > 0) {
    for (const path of open.slice(0, limits.restoredNames)) {
      const text = (await textOf(sandbox, path)).slice(0, limits.readChars);
      conflicts.push({ path, text: server.redactor.redact(text) });
    }
    if (!leave) await endMerge(inWorktree, { folder, session });
    return { conflicts, head: session };
  }
  if ((await inWorktree.commit("MERGE_HEAD")) === "") throw movedOn("The worktree");
  // The folder's commit is the first parent, so that its log looks as if the session's branch had been merged
  // there.
  const tree = await inWorktree.line("write-tree");
  await mustBeTheMerge(inWorktree, tree, { folder, session, choices, noted });
  const head = await commitTree(inWorktree, tree, [folder, session], `Merge branch '${branch}'`);
  await mustBeTrue(inWorktree, folder, head);
  return { conflicts, head };
}

/**
 * Compares the result with git's own merge, because a background command may have written to the files or the
 * index meanwhile.
 */
async function mustBeTheMerge(
  git: BothSides["inWorktree"],
  tree: string,
  {
    folder,
    session,
    choices,
    noted,
  }: { folder: string; session: string; choices: Record<string, string>; noted: string[] },
): Promise<void> {
  // Exit code 1 = there are conflicts. A git before 2.38 does not know this command.
  const merge = ["merge-tree", "--write-tree", "--no-messages", "-z", session, folder];
  const [merged, ...stages] = (await git.run(merge, [0, 1, 129])).stdout.split("\0").filter(Boolean);
  if (!merged) return;
  // `MODE ID STAGE`, a tab, the path. The names of files that were renamed or are in the place of a folder
  // may differ.
  const halves = (entry: string) => entry.split(/\t(.*)/s) as [string, string];
  const known = new Map(stages.map(halves));
  const wanted = new Map<string, string>();
  const wrong = noted.length === stages.length ? [] : ["The merge"];
  for (const [what, path] of noted.map(halves)) {
    if (!known.has(what)) wrong.push(path);
    const [mode, id, stage] = what.split(" ");
    if (stage === (choices[path] === "session" ? "2" : "3")) wanted.set(path, `${mode} ${id}`);
    else if (!wanted.has(path)) wanted.set(path, "");
  }
  const now = listedEntries(await git.names("ls-tree", "-r", "-z", tree));
  for (const [path, what] of wanted) {
    const entry = now.get(path);
    if ((entry ? `${entry.mode} ${entry.id}` : "") !== what) wrong.push(path);
  }
  const besides = new Set([...wanted.keys(), ...stages.map((entry) => halves(entry)[1])]);
  const changed = await git.names("diff-tree", "-r", "--name-only", "-z", "--no-renames", merged, tree);
  const path = [...wrong, ...changed.filter((each) => !besides.has(each))][0];
  if (path === undefined) return;
  await endMerge(git, { folder, session });
  throw movedOn(path);
}

/** Aborts a merge of `folder` into `session`. */
async function endMerge(
  git: BothSides["inWorktree"],
  { folder, session }: { folder: string; session: string },
): Promise<void> {
  const { exitCode } = await git.run(["merge", "--abort"], [0, 128]);
  if (exitCode === 0) return;
  // A program wrote to the index, so git no longer knows which files it merged. They are the files that the
  // folder changed.
  const merged = await git.names("diff", "--name-only", "-z", "--no-renames", `${session}...${folder}`);
  await git.run(["reset", "--quiet", session]);
  const source = ["restore", `--source=${session}`, "--pathspec-from-file=-", "--pathspec-file-nul"];
  await git.run(source, [0, 1], {}, merged.map(literal).join("\0"));
}

/** Takes one side's version of a file with conflicts, or deletes the file if that side has none. */
async function take(git: BothSides["inWorktree"], path: string, whose: "session" | "folder"): Promise<void> {
  const [stage, side] = whose === "session" ? ["2", "--ours"] : ["3", "--theirs"];
  const entries = await unmerged(git, literal(path));
  if (!entries.some((entry) => entry.split(/[ \t]/)[2] === stage)) {
    await git.run(["rm", "--quiet", "--force", "--", literal(path)]);
    return;
  }
  await git.run(["checkout", "--quiet", side, "--", literal(path)]);
  await git.run(["add", "--", literal(path)]);
}

async function deliver(
  { folder, inFolder, inWorktree, commits }: BothSides,
  { how, paths, head }: BringBack & { head: string },
  server: ServerContext,
): Promise<BroughtBack> {
  const differ = await inWorktree.names("diff", "--name-only", "-z", "--no-renames", commits.folder, head);
  const chosen = paths && how === "pick" ? new Set(paths.map(relativePath)) : undefined;
  const files = chosen ? differ.filter((path) => chosen.has(path)) : differ;
  if (files.length === 0) return { ...nothing, done: true };
  const blocked = await uncommitted(inFolder, files, folder.root);
  if (blocked.length > 0) return { ...nothing, blocked };
  const work = async () => {
    if (how === "merge") await inFolder.run(["merge", "--ff-only", "--quiet", head]);
    else await inFolder.run(["restore", "--worktree", `--source=${head}`, "--", ...files.map(literal)]);
  };
  await swept(server.jail, { folder, mount: folder.root }, work, { editors: false });
  const commit = server.redactor.redact(await inFolder.line("log", "-1", "--format=%h %s"));
  return { ...nothing, done: true, files, commit };
}

/** Those of `files` whose place in the folder has something uncommitted. */
async function uncommitted(
  git: BothSides["inFolder"],
  files: readonly string[],
  root: string,
): Promise<string[]> {
  const changed = new Set(await git.names("diff", "--name-only", "-z", "--no-renames", "HEAD"));
  const known = new Set(await git.names("ls-files", "-z"));
  const found: string[] = [];
  for (const path of files) {
    // Ignored files count too, even where a folder is needed, because git would overwrite them.
    const at = await standing(root, path);
    if (changed.has(path) || (at && (changed.has(at) || !known.has(at)))) found.push(path);
  }
  return found;
}

/** "" if the file is gone or is not text. */
async function textOf({ folder }: Sandbox, path: string): Promise<string> {
  return readTextFile(folder.root, path).then(
    ({ bytes }) => bytes.toString("utf8"),
    () => "",
  );
}
