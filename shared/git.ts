// The op `git` (PROTOCOL 4): its arguments and its value.
import * as z from "zod/mini";

export const GitArgs = z.strictObject({
  verb: z.enum(["status", "diff", "log", "show", "branch", "add", "commit"]),
  /** diff only: a snapshot id, or `start` for when the sandbox was made; compares it with the workspace. */
  since: z.optional(z.string()),
  /** diff only: added and removed lines by file instead, as `git diff --numstat` writes them, with `since` as `-z` does. */
  stat: z.optional(z.boolean()),
  /** With `since`: only what this sandbox's own calls did, or only what others did; absent = all that is different. */
  whose: z.optional(z.enum(["own", "others"])),
  rev: z.optional(z.string()),
  paths: z.optional(z.array(z.string())),
  message: z.optional(z.string()),
  /** log only: those that no remote has, by full ids. */
  unpushed: z.optional(z.boolean()),
  /** log only: those that are in the history of none of these, by full ids. */
  not: z.optional(z.array(z.string()).check(z.maxLength(1_000))),
  limit: z.optional(z.number().check(z.int(), z.positive())),
});
export type GitArgs = z.infer<typeof GitArgs>;

export const GitValue = z.object({
  exitCode: z.number(),
  stdout: z.string(),
  stderr: z.string(),
  truncated: z.boolean(),
  /** With `whose: "own"`: files in which others changed the same lines. */
  mixed: z.optional(z.array(z.string())),
  /** With `whose: "own"`: commits that hold files as they are now, `HASH SUBJECT` each. */
  commits: z.optional(z.array(z.object({ commit: z.string(), files: z.array(z.string()) }))),
});
export type GitValue = z.infer<typeof GitValue>;
