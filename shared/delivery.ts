// How a session's work leaves the sandbox (PROTOCOL 3.2 and 4): the state of its repository, commits, pushes.
import * as z from "zod/mini";

/** The repository to which the remote's address points; `owner` may have several parts ("group/team"). */
export const GitRemote = z.object({ host: z.string(), owner: z.string(), name: z.string() });
export type GitRemote = z.infer<typeof GitRemote>;

/**
 * `branch`: null if HEAD is on no branch. `head`: full id; null before the first commit. `ahead`: number of commits
 * that `upstream` does not have, or, without an upstream, that no remote has. `clean`: there are no uncommitted
 * changes. `remote`: null if there is none, or none on another machine.
 */
export const GitState = z.object({
  branch: z.nullable(z.string()),
  head: z.nullable(z.string()),
  upstream: z.nullable(z.string()),
  ahead: z.number(),
  behind: z.number(),
  defaultBranch: z.nullable(z.string()),
  clean: z.boolean(),
  remote: z.nullable(GitRemote),
});
export type GitState = z.infer<typeof GitState>;

/** The same from the sandbox server: here `remote` is an address, without credentials. */
export const GitInSandbox = z.object({ ...GitState.shape, remote: z.nullable(z.string()) });
export type GitInSandbox = z.infer<typeof GitInSandbox>;

/** An idempotency key: a request that is repeated with the same key is carried out once. */
const key = z.string().check(z.regex(/^[\w.-]{1,100}$/));
const branch = z.string().check(z.minLength(1), z.maxLength(200));

/**
 * `seen`: the full ids of that file's `index` line in the diff against HEAD, as `OLD..NEW`, or `..` if only its mode
 * changed. Without `hunk`, the whole file is chosen.
 */
export const ChosenHunk = z.strictObject({
  path: z.string(),
  seen: z.string(),
  hunk: z.optional(z.number().check(z.int(), z.positive())),
});
export type ChosenHunk = z.infer<typeof ChosenHunk>;

const chosen = 5_000;
/**
 * A name or an e-mail address. git writes both on one line as `NAME <EMAIL>`, so neither may contain its separators.
 */
const part = z.string().check(z.regex(/^[^<>\p{Cc}]{1,200}$/u));

/**
 * The fields:
 * - `paths`: files to commit as they are now. An empty list commits nothing and only switches to `branch`. Without
 *   `paths` and `hunks`, everything that this sandbox changed is committed.
 * - `branch`: created if it does not exist.
 * - `amend`, `undo`: the full id of the newest commit, which no remote may have. `amend` adds the chosen changes to it
 *   and keeps its message if no new one is given. `undo` removes the commit and leaves the files as they are; the rest
 *   of the request is ignored.
 */
export const CommitArgs = z.strictObject({
  key,
  message: z._default(z.string().check(z.maxLength(20_000)), ""),
  paths: z.optional(z.array(z.string()).check(z.maxLength(chosen))),
  hunks: z.optional(z.array(ChosenHunk).check(z.maxLength(chosen))),
  branch: z.optional(branch),
  author: z.optional(z.strictObject({ name: part, email: part })),
  amend: z.optional(z.string()),
  undo: z.optional(z.string()),
});
export type CommitArgs = z.infer<typeof CommitArgs>;

/**
 * The same request to the edge. With `hooks`, the repository's pre-commit and commit-msg hooks run first; otherwise
 * none runs.
 */
export const CommitRequest = z.strictObject({ ...CommitArgs.shape, hooks: z.optional(z.boolean()) });
export type CommitRequest = z.infer<typeof CommitRequest>;

/**
 * `commit`: the full id of the newest commit, "" if there is none. `files` is empty if the journaled answer was lost
 * and the commit was found again by its key.
 */
export const Committed = z.object({
  commit: z.string(),
  branch: z.string(),
  files: z.array(z.string()),
});
export type Committed = z.infer<typeof Committed>;

/**
 * The fields that both requests share:
 * - `commit`: a full id; refused if the branch has moved to another commit.
 * - `fetch`: nothing is pushed; see PushRequest.
 * - `shown`: full ids of the commits that were listed; `more`: the number of further commits. A push that would send
 *   more than these is refused.
 */
const pushed = {
  ...{ key, branch, commit: z.optional(z.string()), fetch: z.optional(z.boolean()) },
  shown: z.optional(z.array(z.string()).check(z.maxLength(1_000))),
  more: z.optional(z.number()),
};

/**
 * `host`: the remote's host as the person saw it; refused if the remote has another one now. `fetch`: instead of
 * pushing, fetches the remote's branch of that name, so that `ORIGIN/BRANCH` matches the remote; files, branches and
 * HEAD do not change.
 */
export const PushRequest = z.strictObject({ ...pushed, host: z.optional(z.string()) });
export type PushRequest = z.infer<typeof PushRequest>;

/**
 * The request to the sandbox server. `url`: the remote's address as the edge saw it. `look`: nothing is pushed; see
 * PushLook.
 */
export const PushFromSandbox = z.strictObject({
  ...pushed,
  url: z.optional(z.string()),
  look: z.optional(z.boolean()),
});
export type PushFromSandbox = z.infer<typeof PushFromSandbox>;

/**
 * What the remote knows of a branch's history. `ahead`: how many of its commits are in no branch of the remote. `has`:
 * the commits directly below those, which the remote has. `ids`: the newest 200 that it lacks, newest first.
 */
export const PushLook = z.object({
  branch: z.string(),
  commit: z.string(),
  ahead: z.number(),
  has: z.array(z.string()),
  ids: z.array(z.string()),
});
export type PushLook = z.infer<typeof PushLook>;

/**
 * What a push of `branch` would send: `commits` (full ids), newest first, and the files that they change in total. Each
 * list has at most 200 entries; `total` counts all commits, and the lines of all files. `asked`: the remote was asked
 * what it has; otherwise the repository's remote-tracking branch was used. `subject` is "" if it could not be read.
 */
export const PushPreview = z.object({
  remote: GitRemote,
  branch: z.string(),
  commit: z.string(),
  asked: z.optional(z.boolean()),
  total: z.object({ commits: z.number(), files: z.number(), added: z.number(), removed: z.number() }),
  commits: z.array(z.object({ commit: z.string(), subject: z.string() })),
  files: z.array(z.object({ path: z.string(), added: z.number(), removed: z.number() })),
});
export type PushPreview = z.infer<typeof PushPreview>;

/** `commit`: the commit to which the remote's branch points now. */
export const Pushed = z.object({ remote: GitRemote, branch: z.string(), commit: z.string() });
export type Pushed = z.infer<typeof Pushed>;
