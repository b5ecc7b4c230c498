// Worktrees of sessions (PROTOCOL 3.2 and 4): a git worktree of its own, and how its work comes back to the folder.
import * as z from "zod/mini";

/** For people: a branch is named after it. */
const name = z.optional(z.string().check(z.maxLength(200)));

/**
 * With a new sandbox of a served folder. `shared`: only where another sandbox uses that folder and nothing is uncommitted
 * there; else the sandbox works in the folder itself.
 */
export const WantsWorktree = z.strictObject({ when: z.enum(["always", "shared"]), name });
export type WantsWorktree = z.infer<typeof WantsWorktree>;

export const GiveWorktree = z.strictObject({ name });
export type GiveWorktree = z.infer<typeof GiveWorktree>;

/** `folder`: a name for people of the folder that the work comes back to, and the branch that it was on; null = none. */
export const WorktreeInfo = z.object({
  branch: z.string(),
  folder: z.string(),
  from: z.nullable(z.string()),
});
export type WorktreeInfo = z.infer<typeof WorktreeInfo>;

/** What would come back. `into`: the branch the folder is on now. `commits`: the session's, uncommitted work aside. */
export const WorktreeState = z.object({
  branch: z.string(),
  folder: z.string(),
  into: z.nullable(z.string()),
  files: z.array(z.object({ path: z.string(), added: z.number(), removed: z.number() })),
  /** How many files there are; `files` has 200 of them at most. */
  total: z.optional(z.number()),
  commits: z.number(),
  /** Commits of the folder that the session does not have. */
  behind: z.number(),
  uncommitted: z.boolean(),
  /** Files with conflicts that were left in the worktree to be resolved there. */
  conflicts: z.array(z.string()),
  /** Repositories of their own within the worktree: they stay there, since git takes none of their files. */
  apart: z.optional(z.array(z.string())),
  /**
   * Identifies the state that was seen: every file of the worktree, both newest commits, that of a merge in progress,
   * and `into`.
   */
  seen: z.optional(z.string()),
});
export type WorktreeState = z.infer<typeof WorktreeState>;

/**
 * `merge`: the session's commits, and its uncommitted changes as one more, go into the folder's branch. `pick`: files as
 * they are then, uncommitted; `paths` absent = all. `choices`: which version of a file with conflicts to take. `leave`:
 * conflicts are left in the worktree, for the session to resolve. `seen`: the state that the person saw; refused if the
 * worktree or the folder has changed since.
 */
export const BringBack = z.strictObject({
  how: z.enum(["merge", "pick"]),
  paths: z.optional(z.array(z.string())),
  message: z.optional(z.string().check(z.maxLength(5_000))),
  choices: z.optional(z.catchall(z.object({}), z.enum(["session", "folder"]))),
  leave: z.optional(z.boolean()),
  seen: z.optional(z.string()),
});
export type BringBack = z.infer<typeof BringBack>;

/** `done`: `files` are in the folder. Else nothing was changed there, because of `conflicts` or of `blocked`. */
export const BroughtBack = z.object({
  done: z.boolean(),
  files: z.array(z.string()),
  /** The merged file with git's conflict marks; "" where one side deleted it, or it is no text. */
  conflicts: z.array(z.object({ path: z.string(), text: z.string() })),
  /** Files with changes in the folder that nobody has committed. */
  blocked: z.array(z.string()),
  /** The commit that the folder is on now, short id and subject. */
  commit: z.optional(z.string()),
  /** With `conflicts`: the `seen` of the state in which they were found. */
  seen: z.optional(z.string()),
});
export type BroughtBack = z.infer<typeof BroughtBack>;
