// The op `git` (PROTOCOL 4): its arguments and its value.
import * as z from "zod/mini";

export const GitArgs = z.strictObject({
  verb: z.literal(["status", "diff", "log", "show", "branch", "add", "commit"]),
  /**
   * diff only: the snapshot with which the workspace is compared: an id, or `start` for the creation of the sandbox.
   */
  since: z.optional(z.string()),
  /**
   * diff only: instead of a diff, the number of added and removed lines by file, as `git diff --numstat` prints it
   * (with `-z` if `since` is given).
   */
  stat: z.optional(z.boolean()),
  /** With `since`: only the changes by this sandbox's own calls, or only those by others; absent = all changes. */
  whose: z.optional(z.literal(["own", "others"])),
  rev: z.optional(z.string()),
  paths: z.optional(z.array(z.string())),
  message: z.optional(z.string()),
  /** log only: commits that no remote has, by full ids. */
  unpushed: z.optional(z.boolean()),
  /** log only: commits that are not in the history of any of these commits (full ids). */
  not: z.optional(z.array(z.string()).check(z.maxLength(1_000))),
  limit: z.optional(z.number().check(z.int(), z.positive())),
});
export type GitArgs = z.infer<typeof GitArgs>;

/**
 * Where a sandbox's own changes count from once HEAD was moved: by its own calls, or by others if its files are different
 * there.
 */
export const CountedFrom = z.object({
  /** The newest commit that was made; if there is none, or it was taken back, the one that HEAD is on. A full id. */
  commit: z.string(),
  /** Whether a commit was made, and not only checked out. */
  made: z.boolean(),
  /** The branch at that time. */
  branch: z.nullable(z.string()),
  /** The sandbox's own files as HEAD has them, and all others as they were. */
  snapshot: z.string(),
  /** HEAD could not be read, so `snapshot` has all files as they were. */
  unread: z.boolean(),
});
export type CountedFrom = z.infer<typeof CountedFrom>;

export const GitValue = z.object({
  exitCode: z.number(),
  stdout: z.string(),
  stderr: z.string(),
  truncated: z.boolean(),
  /** With `whose: "own"`: files in which others changed the same lines. */
  mixed: z.optional(z.array(z.string())),
  /** With `whose: "own"`: commits that contain files exactly as they are now, each as `HASH SUBJECT`. */
  commits: z.optional(z.array(z.object({ commit: z.string(), files: z.array(z.string()) }))),
  /** With `whose: "own"`. */
  countedFrom: z.optional(CountedFrom),
});
export type GitValue = z.infer<typeof GitValue>;
