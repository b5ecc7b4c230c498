// The ops `snapshot` and `restore` (PROTOCOL 4): their arguments and values.
import * as z from "zod/mini";

export const SnapshotArgs = z.strictObject({});
export const RestoreArgs = z.strictObject({
  /** A snapshot id, or `start` for the creation of the sandbox. */
  snapshot: z.string(),
  /**
   * Restores this file only. It must not have changed since it was shown: `seen` is its object id in the diff's `index`
   * line.
   */
  path: z.optional(z.string()),
  seen: z.optional(z.string().check(z.regex(/^[0-9a-f]{7,64}$/))),
  /** Restores only this hunk of that file's diff, counted from 1. */
  hunk: z.optional(z.number().check(z.int(), z.positive())),
  /** Reverts only what this sandbox's own calls have changed since then; changes by others stay. */
  own: z.optional(z.boolean()),
  /** With `own`: files that are restored although others changed them. */
  also: z.optional(z.array(z.string())),
  /** With `own`: files that are not restored. */
  except: z.optional(z.array(z.string())),
});
export type RestoreArgs = z.infer<typeof RestoreArgs>;

export const SnapshotValue = z.object({ snapshot: z.string() });
export type SnapshotValue = z.infer<typeof SnapshotValue>;

/**
 * `snapshot`: taken just before. `files`: what the restore changed; `committed`: those that a commit contains in their
 * earlier state.
 */
export const RestoreValue = z.object({
  ...SnapshotValue.shape,
  files: z.optional(z.array(z.object({ path: z.string(), now: z.literal(["changed", "gone", "there"]) }))),
  /** With `own`: files that were not restored, because others changed the same lines. */
  mixed: z.optional(z.array(z.string())),
  committed: z.optional(z.object({ commit: z.string(), files: z.array(z.string()) })),
});
export type RestoreValue = z.infer<typeof RestoreValue>;
