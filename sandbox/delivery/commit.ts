// The op `commit`: what a person chose of the workspace becomes a commit, made of git's plumbing, without hooks and without
// a model. The key is kept in the reflog with the commit, so that it is made once whenever a server dies.
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join, relative } from "node:path";
import type { CommitArgs, Committed } from "../../shared/delivery.ts";
import { HandrailError } from "../../shared/errors.ts";
import type { OpContext } from "../ops/op-context.ts";
import { swept } from "../ops/snapshot.ts";
import { relativePath } from "../paths/relative-path.ts";
import type { RepositoryGit } from "../worktrees/repository-git.ts";
import { chosenPatch } from "./chosen-patch.ts";
import { branchAt, commitAt, gitOf } from "./git-state.ts";
import { emptyTree, uncommitted } from "./uncommitted.ts";

const no = (message: string) => new HandrailError("invalid_request", message);
const none = "0".repeat(40);

export async function commit(args: CommitArgs, context: OpContext): Promise<Committed> {
  const { sandbox, server } = context;
  const git = await gitOf(sandbox, server);
  const work = () => committed(args, context, git);
  return swept(server.jail, { folder: sandbox.folder, mount: sandbox.folder.root }, work, { editors: false });
}

async function committed(args: CommitArgs, context: OpContext, git: RepositoryGit): Promise<Committed> {
  const mark = `(handrail ${args.key})`;
  const find = ["log", "-g", "-1", "-F", "--format=%H", `--grep-reflog=${mark}`, "HEAD", "--"];
  const before = await git.maybe(...find);
  if (before !== "") return { commit: before, branch: await branchAt(git), files: [] };
  if ((await commitAt(git, "MERGE_HEAD")) !== "")
    throw no("A merge is under way here. Finish or abort it first.");
  const head = await commitAt(git, "HEAD");
  const message = cleaned(args.message);
  if (message === "") throw no("message: missing; a commit needs one.");
  if (args.branch !== undefined) await checkBranch(git, args.branch);
  const { tree, changed } = await chosenTree(args, context, git, head);
  if (changed.length === 0) throw no("There is nothing to commit.");
  const branch = await onBranch(git, args.branch, head);
  const make = ["commit-tree", ...(head === "" ? [] : ["-p", head]), "-F", "-", tree];
  const made = (await git.run(make, [0], {}, message)).stdout.trim();
  // The index first: were it behind HEAD, the next commit of the person's would take this one back.
  const index = changed.map(({ path, mode, id }) => `${mode} ${id}\t${path}\0`).join("");
  await git.run(["update-index", "-z", "--add", "--replace", "--index-info"], [0], {}, index);
  await git.run([
    "update-ref",
    "--create-reflog",
    "-m",
    `commit: ${message.split("\n")[0]} ${mark}`,
    "HEAD",
    made,
    head || none,
  ]);
  return { commit: made, branch, files: changed.map(({ path }) => path) };
}

/** Goes to `name`, made at HEAD where there is none; the files stay as they are. The branch that HEAD is on then. */
async function onBranch(git: RepositoryGit, name: string | undefined, head: string): Promise<string> {
  const on = await branchAt(git);
  if (name === undefined || name === on) {
    if (on === "") throw no("branch: HEAD is on none. Name one.");
    return on;
  }
  const there = await commitAt(git, `refs/heads/${name}`);
  if (there !== "" && there !== head)
    throw no(`branch: ${name} is there already, elsewhere. Name another one.`);
  if (head === "") await git.run(["symbolic-ref", "HEAD", `refs/heads/${name}`]);
  else await git.run(["switch", "--quiet", ...(there === "" ? ["-c"] : []), name]);
  return name;
}

/** Throws `invalid_request` for what is no name of a branch, or would be read as an option or as something else. */
export async function checkBranch(git: RepositoryGit, name: string): Promise<void> {
  const taken = /^-|^refs\/|^HEAD$|@\{/.test(name);
  const ref = `refs/heads/${name}`;
  if (taken || name.includes("\0") || (await git.run(["check-ref-format", ref], [0, 1])).exitCode !== 0)
    throw no("branch: git takes no such name.");
}

interface TreeEntry {
  path: string;
  mode: string;
  id: string;
}

/** HEAD's tree with what was chosen, and what differs from HEAD then. */
async function chosenTree(
  args: CommitArgs,
  { sandbox }: OpContext,
  git: RepositoryGit,
  head: string,
): Promise<{ tree: string; changed: TreeEntry[] }> {
  const { repository, root } = git.place;
  const wanted = args.hunks?.map((hunk) => ({ ...hunk, path: relativePath(hunk.path) })) ?? [];
  const whole = (args.paths ?? []).map(relativePath);
  const mine = args.paths === undefined && args.hunks === undefined;
  const paths = mine ? undefined : [...new Set(wanted.map(({ path }) => path))];
  const found = await uncommitted(sandbox, git, { paths, own: mine });
  const { patch, files } = chosenPatch(found, wanted);
  whole.push(...(mine ? found.files.map(({ path }) => path) : files));
  const index = { GIT_INDEX_FILE: join(repository.gitDir, `handrail-${randomBytes(8).toString("hex")}`) };
  try {
    await git.run(["read-tree", ...(head === "" ? ["--empty"] : [head])], [0], index);
    const add = ["--literal-pathspecs", "add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"];
    if (whole.length > 0) await git.run(add, [0], index, whole.join("\0"));
    const within = relative(repository.top, root);
    const apply = [
      "apply",
      "--cached",
      "--whitespace=nowarn",
      ...(within ? [`--directory=${within}`] : []),
      "-",
    ];
    if (patch !== "") await git.run(apply, [0], index, patch);
    const tree = (await git.run(["write-tree"], [0], index)).stdout.trim();
    const raw = await git.names("diff-tree", "-r", "--raw", "-z", "--no-renames", head || emptyTree, tree);
    const changed = raw.flatMap((field, at) => {
      const [, mode = "", , id = ""] = field.split(" ");
      return at % 2 === 0 ? [{ path: raw[at + 1] ?? "", mode: mode === "000000" ? "0" : mode, id }] : [];
    });
    const link = changed.find(({ mode }) => mode === "160000");
    if (link) throw no(`${link.path} is a repository of its own.`);
    return { tree, changed };
  } finally {
    await rm(index.GIT_INDEX_FILE, { force: true });
  }
}

/** Without what a terminal or a page would not show as it is. */
function cleaned(message: string): string {
  return message
    .replace(/\r\n?/g, "\n")
    .replace(/(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, "")
    .trim();
}
