// Worktrees of sessions (PROTOCOL 3.2 and 4): a session's own git worktree, and how its work is brought back to the
// folder.
import * as z from "zod/mini";

/** A name for people, used in the branch's name. */
const name = z.optional(z.string().check(z.maxLength(200)));

/**
 * For a new sandbox of a served folder. `shared`: create a worktree only if another sandbox uses that folder and it has
 * no uncommitted changes; otherwise the sandbox works directly in the folder.
 */
export const WantsWorktree = z.strictObject({ when: z.literal(["always", "shared"]), name });
export type WantsWorktree = z.infer<typeof WantsWorktree>;

export const GiveWorktree = z.strictObject({ name });
export type GiveWorktree = z.infer<typeof GiveWorktree>;

/**
 * `folder`: the name of the folder to which the work is brought back; `from`: the branch that it was on, null = none.
 */
export const WorktreeInfo = z.object({
  branch: z.string(),
  folder: z.string(),
  from: z.nullable(z.string()),
});
export type WorktreeInfo = z.infer<typeof WorktreeInfo>;

/**
 * What would be brought back. `into`: the folder's current branch. `commits`: the number of the session's commits,
 * without uncommitted work.
 */
export const WorktreeState = z.object({
  branch: z.string(),
  folder: z.string(),
  into: z.nullable(z.string()),
  files: z.array(z.object({ path: z.string(), added: z.number(), removed: z.number() })),
  /** The number of files, of which `files` lists at most 200. */
  total: z.optional(z.number()),
  commits: z.number(),
  /** How many commits of the folder the session does not have. */
  behind: z.number(),
  uncommitted: z.boolean(),
  /** Files with conflicts that were left in the worktree to be resolved there. */
  conflicts: z.array(z.string()),
  /** Nested repositories in the worktree. They stay there, because git does not include their files. */
  apart: z.optional(z.array(z.string())),
  /**
   * Identifies the state that the person saw: every file of the worktree, the newest commits of both sides, a merge in
   * progress, and `into`.
   */
  seen: z.optional(z.string()),
});
export type WorktreeState = z.infer<typeof WorktreeState>;

/**
 * How work is brought back:
 * - `merge`: the session's commits are merged into the folder's branch, with its uncommitted changes as one more
 *   commit.
 * - `pick`: files are copied in their current state, uncommitted; without `paths`, all of them.
 * - `choices`: which version of a file with conflicts is used.
 * - `leave`: conflicts stay in the worktree, where the session resolves them.
 * - `seen`: the state that the person saw; refused if the worktree or the folder has changed since.
 */
export const BringBack = z.strictObject({
  how: z.literal(["merge", "pick"]),
  paths: z.optional(z.array(z.string())),
  message: z.optional(z.string().check(z.maxLength(5_000))),
  choices: z.optional(z.catchall(z.object({}), z.literal(["session", "folder"]))),
  leave: z.optional(z.boolean()),
  seen: z.optional(z.string()),
});
export type BringBack = z.infer<typeof BringBack>;

/** `done`: `files` are in the folder. Otherwise nothing was changed there, because of `conflicts` or `blocked`. */
export const BroughtBack = z.object({
  done: z.boolean(),
  files: z.array(z.string()),
  /** The merged file with git's conflict marks; "" if one side deleted it or it is not text. */
  conflicts: z.array(z.object({ path: z.string(), text: z.string() })),
  /** Files with uncommitted changes in the folder. */
  blocked: z.array(z.string()),
  /** The folder's current commit, as short id and subject. */
  commit: z.optional(z.string()),
  /** With `conflicts`: the `seen` of the state in which they were found. */
  seen: z.optional(z.string()),
});
export type BroughtBack = z.infer<typeof BroughtBack>;
