// Brings a session's work back to the folder: what the folder has by now is merged into the worktree, where conflicts are
// found and resolved; the folder itself only ever goes forward to the result, or takes files of it.
import { join } from "node:path";
import { HandrailError } from "../../shared/errors.ts";
import type { BringBack, BroughtBack } from "../../shared/worktree.ts";
import type { ServerContext } from "../context.ts";
import { limits } from "../limits.ts";
import { swept } from "../ops/snapshot.ts";
import { relativePath } from "../paths/relative-path.ts";
import { readTextFile } from "../paths/text-file.ts";
import type { Sandbox } from "../sandbox.ts";
import { exists } from "../workspace/snapshot-store.ts";
import { type BothSides, bothSides } from "./both-sides.ts";
import { unmerged } from "./worktree-state.ts";

const nothing: BroughtBack = { done: false, files: [], conflicts: [], blocked: [] };

/** Throws `invalid_request` with what git said where it refuses. Nothing is lost in any case: all of it is on the branch. */
export async function bringBack(
  sandbox: Sandbox,
  request: BringBack,
  server: ServerContext,
): Promise<BroughtBack> {
  const { worktree } = sandbox.record;
  if (!worktree) throw new HandrailError("invalid_request", "This session has no worktree of its own.");
  const folder = await server.registry.folders.get(worktree.of);
  // Always in this order: two that wait for each other would wait forever.
  return folder.lock.with("change", () =>
    sandbox.folder.lock.with("change", async () => {
      const message = request.message?.trim() || `Work of a session on ${worktree.branch}`;
      await commitAll(sandbox, message, server);
      const sides = await bothSides(sandbox, server);
      const conflicts = await takeIn(sandbox, sides, request, server);
      if (conflicts.length > 0) return { ...nothing, conflicts };
      return deliver(sides, request, server);
    }),
  );
}

/** What is uncommitted in the worktree, the resolution of an earlier merge included. */
async function commitAll(sandbox: Sandbox, message: string, server: ServerContext): Promise<void> {
  const { inWorktree } = await bothSides(sandbox, server);
  for (const path of await unmerged(inWorktree)) {
    if (!/^(<{7}|>{7}) /m.test(await textOf(sandbox, path))) continue;
    throw new HandrailError(
      "invalid_request",
      `${path} still has conflict marks. Have the session resolve them, then bring it back.`,
    );
  }
  await inWorktree.run(["add", "--all"]);
  // What is uncommitted in a repository within is none of this one's.
  const status = await inWorktree.run(["status", "--porcelain", "--ignore-submodules=dirty"]);
  if (status.stdout !== "" || (await inWorktree.commit("MERGE_HEAD")) !== "")
    await inWorktree.run(["commit", "--no-verify", "--quiet", "--cleanup=strip", "-m", message]);
}

/** Merges what the folder has into the worktree. The conflicts, of which nothing is left unless that is asked for. */
async function takeIn(
  sandbox: Sandbox,
  { inWorktree, commits, branch }: BothSides,
  { choices = {}, leave = false }: BringBack,
  server: ServerContext,
): Promise<BroughtBack["conflicts"]> {
  const { folder, base } = commits;
  if (base === folder) return [];
  const merge = ["merge", "--no-ff", "--no-commit", "--no-edit", "--quiet", "-m", `Merge ${branch}`, folder];
  await inWorktree.run(merge, [0, 1]);
  const open: string[] = [];
  const all = await unmerged(inWorktree);
  for (const path of all) {
    const whose = choices[path];
    if (whose === undefined) open.push(path);
    else await take(inWorktree, path, whose);
  }
  if (open.length > 0) {
    const conflicts = await Promise.all(
      open.slice(0, limits.restoredNames).map(async (path) => ({
        path,
        text: server.redactor.redact((await textOf(sandbox, path)).slice(0, limits.readChars)),
      })),
    );
    if (!leave) await inWorktree.run(["merge", "--abort"]);
    return conflicts;
  }
  if ((await inWorktree.commit("MERGE_HEAD")) === "") return [];
  // The folder's history is the first parent: its log reads as if the session's branch had been merged there.
  const tree = await inWorktree.line("write-tree");
  const parents = ["-p", folder, "-p", await inWorktree.commit()];
  const commit = await inWorktree.line("commit-tree", tree, ...parents, "-m", `Merge branch '${branch}'`);
  await inWorktree.run(["reset", "--quiet", commit]);
  return [];
}

/** One side's version of a file with conflicts, or none where that side has none. */
async function take(git: BothSides["inWorktree"], path: string, whose: "session" | "folder"): Promise<void> {
  const [stage, side] = whose === "session" ? ["2", "--ours"] : ["3", "--theirs"];
  const entries = await git.names("ls-files", "--unmerged", "-z", "--", literal(path));
  if (!entries.some((entry) => entry.split(/[ \t]/)[2] === stage)) {
    await git.run(["rm", "--quiet", "--force", "--", literal(path)]);
    return;
  }
  await git.run(["checkout", "--quiet", side, "--", literal(path)]);
  await git.run(["add", "--", literal(path)]);
}

async function deliver(
  { folder, inFolder, inWorktree, commits }: BothSides,
  { how, paths }: BringBack,
  server: ServerContext,
): Promise<BroughtBack> {
  const head = await inWorktree.commit();
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

/** Those of `files` that hold something in the folder which no commit has. */
async function uncommitted(
  git: BothSides["inFolder"],
  files: readonly string[],
  root: string,
): Promise<string[]> {
  const changed = new Set(await git.names("diff", "--name-only", "-z", "--no-renames", "HEAD"));
  const known = new Set(await git.names("ls-files", "-z"));
  const found: string[] = [];
  for (const path of files) {
    if (changed.has(path)) found.push(path);
    // Ignored ones too: git would write over them.
    else if (!known.has(path) && (await exists(join(root, path)))) found.push(path);
  }
  return found;
}

/** "" where it is gone or no text. */
async function textOf({ folder }: Sandbox, path: string): Promise<string> {
  return readTextFile(folder.root, path).then(
    ({ bytes }) => bytes.toString("utf8"),
    () => "",
  );
}

function literal(path: string): string {
  return `:(literal)${path}`;
}
