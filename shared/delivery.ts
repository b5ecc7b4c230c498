// How a session's work leaves the sandbox (PROTOCOL 3.2 and 4): the state of its repository, commits, pushes.
import * as z from "zod/mini";

/** As `remote` of the person's repository names it; `owner` may have several parts ("group/team"). */
export const GitRemote = z.object({ host: z.string(), owner: z.string(), name: z.string() });
export type GitRemote = z.infer<typeof GitRemote>;

/**
 * `branch`: null if HEAD is on none. `head`: full id; null before the first commit. `ahead`: commits that `upstream`
 * does not have; without one, those that no remote has. `clean`: nothing is uncommitted. `remote`: null if there is
 * none, or none on another machine.
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

/** As the sandbox server tells it: `remote` is an address without credentials. */
export const GitInSandbox = z.object({ ...GitState.shape, remote: z.nullable(z.string()) });
export type GitInSandbox = z.infer<typeof GitInSandbox>;

/** Has the form of a call's key: a request that is repeated with the same key is carried out once. */
const key = z.string().check(z.regex(/^[\w.-]{1,100}$/));
const branch = z.string().check(z.minLength(1), z.maxLength(200));

/**
 * `seen`: the ids of that file's `index` line in the difference since HEAD, whole: `OLD..NEW`; `..` where its mode alone
 * differs. No `hunk`: all of the file.
 */
export const ChosenHunk = z.strictObject({
  path: z.string(),
  seen: z.string(),
  hunk: z.optional(z.number().check(z.int(), z.positive())),
});
export type ChosenHunk = z.infer<typeof ChosenHunk>;

const chosen = 5_000;
/** A person's name or address: git writes `NAME <EMAIL>` in one line. */
const part = z.string().check(z.regex(/^[^<>\p{Cc}]{1,200}$/u));

/**
 * `paths`: files as they are now; an empty list commits nothing, and only switches to `branch`. Neither `paths` nor
 * `hunks`: everything that this sandbox changed. `branch`: created if it does not exist. `amend`, `undo`: the full id of
 * the newest commit, which no remote may have. `amend` adds the chosen changes to it, with its old message if there is
 * no new one; `undo` takes it back, the files stay as they are, and the rest of the request is ignored.
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

/** As the edge takes it. `hooks`: the repository's pre-commit and commit-msg run first; absent = no hook runs. */
export const CommitRequest = z.strictObject({ ...CommitArgs.shape, hooks: z.optional(z.boolean()) });
export type CommitRequest = z.infer<typeof CommitRequest>;

/**
 * `commit`: the full id of the newest commit, "" if there is none. `files`: empty if the answer was lost with the
 * journal, and the commit was found by its key.
 */
export const Committed = z.object({
  commit: z.string(),
  branch: z.string(),
  files: z.array(z.string()),
});
export type Committed = z.infer<typeof Committed>;

/**
 * `commit`: a full id, refused where the branch is on another one by now. `fetch`: nothing is pushed; see PushRequest.
 * `shown`: full ids of the commits that were listed, `more`: how many others were counted; a push that would send any
 * beyond those is refused.
 */
const pushed = {
  ...{ key, branch, commit: z.optional(z.string()), fetch: z.optional(z.boolean()) },
  shown: z.optional(z.array(z.string()).check(z.maxLength(1_000))),
  more: z.optional(z.number()),
};

/**
 * `host`: the remote's as the person saw it; refused where it is another one by now. `fetch`: the remote's branch of that
 * name is fetched instead, so that `ORIGIN/BRANCH` is what the remote has; files, branches and HEAD stay as they are.
 */
export const PushRequest = z.strictObject({ ...pushed, host: z.optional(z.string()) });
export type PushRequest = z.infer<typeof PushRequest>;

/** As the sandbox server takes it: `url` is the remote's as the edge saw it. `look`: nothing is pushed; see PushLook. */
export const PushFromSandbox = z.strictObject({
  ...pushed,
  url: z.optional(z.string()),
  look: z.optional(z.boolean()),
});
export type PushFromSandbox = z.infer<typeof PushFromSandbox>;

/**
 * What the remote said of a branch's history. `ahead`: how many of its commits the remote has in no branch. `has`: those
 * next to them that it has. `ids`: of the newest 200 that it lacks, the newest first.
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
 * What a push of `branch` would send: `commits` (full ids) the newest first, and what they change in all. At most 200 of
 * each are listed; `total` counts all of them, and the lines of all files. `asked`: the remote said what it has; else
 * the repository's own copy of it was compared with. `subject`: "" where its text could not be read.
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

/** `commit`: what the branch is on at the remote now. */
export const Pushed = z.object({ remote: GitRemote, branch: z.string(), commit: z.string() });
export type Pushed = z.infer<typeof Pushed>;
