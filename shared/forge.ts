// Pull requests and the other requests to a forge: GitHub, GitLab, Gitea (PROTOCOL 3.2). All forges share one shape;
// GitLab's merge requests are called pull requests here.
import * as z from "zod/mini";

export const ForgeKind = z.literal(["github", "gitlab", "gitea"]);
export type ForgeKind = z.infer<typeof ForgeKind>;

/**
 * `device`: whether a person can sign in with a device code instead of a token. `signedIn`: the server has its own
 * token.
 */
export const ForgeList = z.object({
  forges: z.array(
    z.object({ host: z.string(), kind: ForgeKind, device: z.boolean(), signedIn: z.boolean() }),
  ),
});
export type ForgeList = z.infer<typeof ForgeList>;

const limited = (max: number) => z.string().check(z.minLength(1), z.maxLength(max));
const key = z.string().check(z.regex(/^[\w.-]{1,100}$/));
/** Becomes a segment of a path at the forge, where `..` would reach another one. */
const thread = limited(300).check(z.regex(/[^.]/));

/**
 * `branch`, `host`: as the person saw them; refused if they have changed. Without `base`, the default branch is used.
 */
export const PullRequestArgs = z.strictObject({
  key,
  title: limited(250),
  body: z.string().check(z.maxLength(60_000)),
  base: z.optional(limited(200)),
  draft: z._default(z.boolean(), false),
  branch: z.optional(limited(200)),
  host: z.optional(z.string()),
});
export type PullRequestArgs = z.infer<typeof PullRequestArgs>;

export const PullState = z.literal(["open", "closed", "merged"]);
export type PullState = z.infer<typeof PullState>;

export const PullMade = z.object({ number: z.number(), url: z.string(), state: PullState });
export type PullMade = z.infer<typeof PullMade>;

/** `log`: `pull-request/log` can read its output. `text`: the reason in one line, "" = none. */
export const PullCheck = z.object({
  id: z.string(),
  name: z.string(),
  state: z.literal(["waiting", "running", "passed", "failed", "skipped"]),
  text: z.string(),
  url: z.nullable(z.string()),
  log: z.boolean(),
});
export type PullCheck = z.infer<typeof PullCheck>;

/** Only the newest review of each person is listed. */
export const PullReview = z.object({
  by: z.string(),
  state: z.literal(["approved", "changes", "commented"]),
  text: z.string(),
  at: z.string(),
});
export type PullReview = z.infer<typeof PullReview>;

/**
 * `thread`: the id that `pull-request/resolve` takes; null = it cannot be resolved. `path`, `line`: absent if the
 * comment is about no line. `outdated`: the lines have changed since. `answers`: the replies in its thread.
 */
export const PullComment = z.object({
  id: z.string(),
  thread: z.nullable(z.string()),
  by: z.string(),
  text: z.string(),
  at: z.string(),
  path: z.optional(z.string()),
  line: z.optional(z.number()),
  lines: z.optional(z.string()),
  outdated: z.boolean(),
  resolved: z.boolean(),
  answers: z.array(z.object({ by: z.string(), text: z.string() })),
});
export type PullComment = z.infer<typeof PullComment>;

export const MergeMethod = z.literal(["merge", "squash", "rebase"]);
export type MergeMethod = z.infer<typeof MergeMethod>;

/**
 * `head`: the branch's commit at the forge. `merge.why`: a sentence saying what prevents a merge; null = nothing, "" =
 * the forge is still finding out. `truncated`: not everything is listed. `missing`: parts that this token may not read.
 */
export const PullRequest = z.object({
  ...PullMade.shape,
  title: z.string(),
  draft: z.boolean(),
  branch: z.string(),
  base: z.string(),
  head: z.string(),
  merge: z.object({ why: z.nullable(z.string()), methods: z.array(MergeMethod) }),
  checks: z.array(PullCheck),
  reviews: z.array(PullReview),
  comments: z.array(PullComment),
  truncated: z.boolean(),
  missing: z.array(z.literal(["checks", "reviews", "comments"])),
});
export type PullRequest = z.infer<typeof PullRequest>;

/** `head`: the commit that the person saw; refused if the branch has moved to another one. */
export const MergeArgs = z.strictObject({
  number: z.number().check(z.int(), z.positive()),
  head: limited(100),
  method: z._default(MergeMethod, "merge"),
});
export type MergeArgs = z.infer<typeof MergeArgs>;

export const DeleteBranchArgs = z.strictObject({ number: z.number().check(z.int(), z.positive()) });
export type DeleteBranchArgs = z.infer<typeof DeleteBranchArgs>;

export const ResolveArgs = z.strictObject({
  number: z.number().check(z.int(), z.positive()),
  thread,
});
export type ResolveArgs = z.infer<typeof ResolveArgs>;

/**
 * Posted under `thread`, or otherwise to the pull request as a whole. With `resolve`, the thread is resolved
 * afterwards.
 */
export const AnswerArgs = z.strictObject({
  number: z.number().check(z.int(), z.positive()),
  text: limited(10_000),
  thread: z.optional(thread),
  resolve: z._default(z.boolean(), false),
});
export type AnswerArgs = z.infer<typeof AnswerArgs>;

/** Absent fields do not change. `ready`: the pull request stops being a draft. */
export const ChangePullRequestArgs = z.strictObject({
  number: z.number().check(z.int(), z.positive()),
  title: z.optional(limited(250)),
  body: z.optional(z.string().check(z.maxLength(60_000))),
  ready: z.optional(z.literal(true)),
});
export type ChangePullRequestArgs = z.infer<typeof ChangePullRequestArgs>;

/** The end of a check's output, at most 16,000 characters. `cut`: earlier output was left out. */
export const CheckLog = z.object({ text: z.string(), cut: z.boolean() });
export type CheckLog = z.infer<typeof CheckLog>;

/** The user to whom the token belongs. */
export const ForgeUser = z.object({ login: z.string() });
export type ForgeUser = z.infer<typeof ForgeUser>;

/** `path`: "owner/name"; GitLab groups add more parts. `url`: the https address for cloning. */
export const ForgeRepository = z.object({
  path: z.string(),
  url: z.string(),
  about: z.string(),
  isPrivate: z.boolean(),
  defaultBranch: z.string(),
});
export type ForgeRepository = z.infer<typeof ForgeRepository>;

export const ForgeIssue = z.object({
  number: z.number(),
  title: z.string(),
  url: z.string(),
  text: z.string(),
});
export type ForgeIssue = z.infer<typeof ForgeIssue>;

/** `next`: the `page` to ask for next; null = there are no more. */
export const ForgeRepositories = z.object({
  repositories: z.array(ForgeRepository),
  next: z.nullable(z.number()),
});
export type ForgeRepositories = z.infer<typeof ForgeRepositories>;

export const ForgeBranches = z.object({ branches: z.array(z.string()), next: z.nullable(z.number()) });
export type ForgeBranches = z.infer<typeof ForgeBranches>;

export const ForgeIssues = z.object({ issues: z.array(ForgeIssue), next: z.nullable(z.number()) });
export type ForgeIssues = z.infer<typeof ForgeIssues>;

/**
 * RFC 8628, 3.2: the person opens `url` and enters `userCode`; then `device-token` is requested every `interval`
 * seconds.
 */
export const DeviceCode = z.object({
  deviceCode: z.string(),
  userCode: z.string(),
  url: z.string(),
  interval: z.number(),
  expiresIn: z.number(),
});
export type DeviceCode = z.infer<typeof DeviceCode>;

export const DeviceTokenArgs = z.strictObject({ deviceCode: limited(300) });
export type DeviceTokenArgs = z.infer<typeof DeviceTokenArgs>;

/** null without an error = the person has not decided yet; ask again after `interval` seconds. */
export const DeviceToken = z.object({ token: z.nullable(z.string()), interval: z.number() });
export type DeviceToken = z.infer<typeof DeviceToken>;
