// The op `commit`: commits the changes that a person chose, with git's plumbing commands, without hooks and
// without a model. The request's key is stored in the reflog with the commit, so that it is made only once
// even if the server dies.
import { createHash } from "node:crypto";
import { join, relative } from "node:path";
import { branchPrefix } from "../../shared/branch-name.ts";
import type { CommitArgs, Committed } from "../../shared/delivery.ts";
import { HandrailError } from "../../shared/errors.ts";
import type { OpContext } from "../ops/op-context.ts";
import { swept } from "../ops/snapshot.ts";
import { isInside } from "../paths/inside.ts";
import { relativePath } from "../paths/relative-path.ts";
import { emptyTree } from "../workspace/committed-tree.ts";
import { signatureOf } from "../workspace/git-identity.ts";
import { movedOn } from "../workspace/revert-file.ts";
import { noObject, type SnapshotStore } from "../workspace/snapshot-store.ts";
import { type FileStep, indexLines, isNested } from "../workspace/tree-merge.ts";
import { ownIndex } from "../worktrees/own-index.ts";
import { RepositoryGit } from "../worktrees/repository-git.ts";
import { mustBeTrue } from "../worktrees/true-objects.ts";
import { chosenPatch } from "./chosen-patch.ts";
import { gitOf, markedBy, markOf, meantBranch } from "./git-state.ts";
import { isRepository, treeChanges } from "./tree-changes.ts";
import { type DifferentFile, uncommitted } from "./uncommitted.ts";

const no = (message: string) => new HandrailError("invalid_request", message);

export async function commit(args: CommitArgs, context: OpContext): Promise<Committed> {
  const { sandbox, server } = context;
  const git = await gitOf(sandbox, server);
  const branch = args.branch === undefined ? undefined : await meantBranch(git, args.branch, server);
  const work = () => committed({ ...args, branch }, context, git);
  const place = { folder: sandbox.folder, mount: sandbox.folder.root };
  const made = await swept(server.jail, place, work, { editors: false });
  return { ...made, branch: server.redactor.redact(made.branch) };
}

async function committed(args: CommitArgs, context: OpContext, git: RepositoryGit): Promise<Committed> {
  const { amend, undo } = args;
  const before = await markedBy(git, args.key, "HEAD");
  if (before !== "") return { commit: before, branch: await git.branch(), files: [] };
  if ((await git.commit("MERGE_HEAD")) !== "")
    throw no("A merge is under way here. Finish or abort it first.");
  const head = await git.commit();
  if (args.branch !== undefined) await checkBranch(git, args.branch);
  if (args.paths?.length === 0 && !args.hunks && !amend && !undo) {
    const on = await git.branch();
    const branch = await onBranch(git, args.branch, head);
    // A session's branch is renamed: the new branch contains all of it, so the old one is deleted.
    if (on !== branch && on.startsWith(branchPrefix) && head)
      await git.run(["update-ref", "-d", `refs/heads/${on}`, head]);
    return { commit: head, branch, files: [] };
  }
  const last = amend ?? undo;
  const old = last === undefined ? undefined : await unpushed(git, last, head);
  if (undo !== undefined && old) {
    const [parent, another] = old.parents;
    if (another !== undefined) throw no("undo: a merge is taken back by git alone.");
    await moveHead(git, { to: parent, from: head, said: "undo", key: args.key });
    return { commit: parent ?? "", branch: await git.branch(), files: [] };
  }
  const message = cleaned(args.message) || (old?.message ?? "");
  if (message === "") throw no("message: missing; a commit needs one.");
  const { tree, changed } = await chosenTree(args, context, git, head);
  if (changed.size === 0 && !old) throw no("There is nothing to commit.");
  const parents = old?.parents ?? [head].filter(Boolean);
  const make = ["commit-tree", ...parents.flatMap((each) => ["-p", each]), "-F", "-", tree];
  const { name, email } = args.author ?? {};
  const by = name && email ? { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email } : old?.author;
  const made = await signed(git, (await git.run(make, [0], by, `${message}\n`)).stdout.trim());
  // The branch is switched only now, so that nothing changes if the commit cannot be signed.
  const branch = await onBranch(git, args.branch, head);
  // The index is updated first. If it were behind HEAD, the person's next commit would revert this one.
  const index = indexLines([...changed].map(([path, [, entry]]) => [path, entry]));
  await git.run(["update-index", "-z", "--index-info"], [0], {}, index);
  await moveHead(git, { to: made, from: head, said: `commit: ${message.split("\n")[0]}`, key: args.key });
  return { commit: made, branch, files: [...changed.keys()] };
}

/** The commit, with a signature if the person's git signs commits. */
async function signed(git: RepositoryGit, id: string): Promise<string> {
  const text = (await git.run(["cat-file", "commit", id])).stdout;
  // Commands can write to the store from which the commit was read, and git does not verify the id.
  const sum = createHash(id[40] ? "sha256" : "sha1");
  sum.update(`commit ${Buffer.byteLength(text)}\0${text}`);
  if (sum.digest("hex") !== id) throw movedOn("The commit");
  const signature = await signatureOf(text);
  if (signature === "") return id;
  const whole = text.replace("\n\n", () => `\ngpgsig ${signature.replaceAll("\n", "\n ")}\n\n`);
  return (await git.run(["hash-object", "-t", "commit", "-w", "--stdin"], [0], {}, whole)).stdout.trim();
}

/** `to`: undefined = the branch is deleted, because its first commit is undone. */
async function moveHead(
  git: RepositoryGit,
  { to, from, said, key }: { to: string | undefined; from: string; said: string; key: string },
): Promise<void> {
  const where = to === undefined ? ["-d", "HEAD"] : ["HEAD", to];
  await git.run([
    "update-ref",
    "--create-reflog",
    "-m",
    `${said} ${markOf(key)}`,
    ...where,
    from || noObject,
  ]);
}

/**
 * The parts of the newest commit, which must be `seen`. Throws if there is a newer one or a remote has it.
 */
async function unpushed(git: RepositoryGit, seen: string, head: string) {
  if (seen !== head || head === "") throw movedOn("The branch");
  if ((await git.line("branch", "--remotes", "--contains", head)) !== "")
    throw no("This commit was pushed already. Make another one that takes it back.");
  // The commit is read raw, because `log` leaves out the parents of the first commit in a shallow clone.
  const text = (await git.run(["cat-file", "commit", head])).stdout;
  const end = text.indexOf("\n\n");
  const [, name = "", email = "", date = ""] = /^author (.*) <(.*)> (.*)$/m.exec(text) ?? [];
  return {
    parents: [...text.slice(0, end).matchAll(/^parent (\w+)/gm)].map(([, id = ""]) => id),
    author: { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: `@${date}` },
    message: text.slice(end + 2).trim(),
  };
}

/**
 * Switches to the branch `name`, which is made at HEAD if it does not exist. The files stay unchanged.
 * Returns the branch that HEAD is then on.
 */
async function onBranch(git: RepositoryGit, name: string | undefined, head: string): Promise<string> {
  const on = await git.branch();
  if (name === undefined || name === on) {
    if (on === "") throw no("branch: HEAD is on none. Name one.");
    return on;
  }
  const there = await git.commit(`refs/heads/${name}`);
  if (there !== "" && there !== head)
    throw no(`branch: ${name} is there already, elsewhere. Name another one.`);
  if (head === "") await git.run(["symbolic-ref", "HEAD", `refs/heads/${name}`]);
  else await git.run(["switch", "--quiet", ...(there === "" ? ["-c"] : []), name]);
  return name;
}

/**
 * Throws `invalid_request` for an invalid branch name, and for one that git would read as an option or as
 * another reference.
 */
export async function checkBranch(git: RepositoryGit, name: string): Promise<void> {
  const taken = /^-|^refs\/|^HEAD$|@\{/.test(name);
  const ref = `refs/heads/${name}`;
  if (taken || name.includes("\0") || (await git.run(["check-ref-format", ref], [0, 1])).exitCode !== 0)
    throw no("branch: git takes no such name.");
}

/** HEAD's tree with the chosen changes, and the differences from HEAD. */
async function chosenTree(
  args: CommitArgs,
  { sandbox }: OpContext,
  git: RepositoryGit,
  head: string,
): Promise<{ tree: string; changed: Map<string, FileStep> }> {
  const { repository, root } = git.place;
  const wanted = args.hunks?.map((hunk) => ({ ...hunk, path: relativePath(hunk.path) })) ?? [];
  const asked = (args.paths ?? []).map(relativePath);
  const mine = args.paths === undefined && args.hunks === undefined;
  const paths = mine ? undefined : [...new Set(wanted.map(({ path }) => path))];
  const found = await uncommitted(sandbox, git, { paths, own: mine });
  const { patch, files } = chosenPatch(found, wanted);
  const compared = found.files.filter(({ path }) => mine || files.includes(path));
  const whole = [...asked, ...compared.map(({ path }) => path)];
  return ownIndex(async (index) => {
    await git.run(["read-tree", ...(head === "" ? ["--empty"] : [head])], [0], index);
    const add = ["--literal-pathspecs", "add", "--pathspec-from-file=-", "--pathspec-file-nul"];
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
    const changed = await treeChanges(git, head || emptyTree, tree);
    const link = [...changed].find(([, [, entry]]) => isNested(entry));
    if (link) throw isRepository(link[0]);
    const named = [...whole, ...wanted.map(({ path }) => path)].map((path) => join(within, path));
    const other = [...changed.keys()].find(
      (path) =>
        !named.some((each) => isInside(path, each)) &&
        !asked.some((each) => isInside(join(within, each), path)),
    );
    if (other) throw movedOn(other);
    const { store } = sandbox.folder.snapshots;
    for (const file of compared) await mustBeWhatWasSeen(file, changed, { git, within, store });
    await mustBeTrue(git, head, tree);
    return { tree, changed };
  });
}

/**
 * Git has read the file once more. If anything wrote to it since it was compared with what the person saw,
 * nothing is committed.
 */
async function mustBeWhatWasSeen(
  { path, was, is, modes }: DifferentFile,
  changed: ReadonlyMap<string, FileStep>,
  { git, within, store }: { git: RepositoryGit; within: string; store: SnapshotStore },
): Promise<void> {
  const at = join(within, path);
  const taken = changed.get(at);
  const { id, mode } = taken ? (taken[1] ?? { id: noObject, mode: "0" }) : { id: was, mode: modes[0] ?? "" };
  // If git ignores file modes here, the commit keeps the old mode.
  const isMode = mode === "0" || [...modes, "100644"].includes(mode);
  if (isMode && (id === is || id === (await idWithoutReturns(git, store.dir, is)))) return;
  const attributes = await git.line("check-attr", "working-tree-encoding", "ident", "--", path);
  if (/: (?!un(?:specified|set)$)[^:]*$/m.test(attributes))
    throw no(`${path}: its attributes make git store another text than the one you saw. Commit it with git.`);
  throw movedOn(path);
}

/**
 * The id of a blob of the store once git has converted its line endings. Other conversions that attributes ask for may
 * turn a comment into code (`working-tree-encoding=UTF-7`).
 */
async function idWithoutReturns({ place }: RepositoryGit, store: string, id: string): Promise<string> {
  const pipe = `!f() { s() { GIT_COMMON_DIR="$2" git --git-dir="$2" cat-file "$1" "$3"; }; s -e "$1" "$2" && s blob "$1" "$2" | base64; }; f`;
  const git = new RepositoryGit({ ...place, beside: store });
  const said = await git.maybe("-c", `alias.handrail=${pipe}`, "handrail", store, id);
  if (said === "") return "";
  const text = Buffer.from(said, "base64").toString("latin1").replaceAll("\r\n", "\n");
  return createHash("sha1").update(`blob ${text.length}\0${text}`, "latin1").digest("hex");
}

/** Removes characters that a terminal or a page would not show literally. */
function cleaned(message: string): string {
  return message
    .replace(/\r\n?/g, "\n")
    .replace(/(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, "")
    .trim();
}
