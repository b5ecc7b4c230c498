// The ops `snapshot` and `restore` (PROTOCOL 4): their arguments and values.
import * as z from "zod/mini";

export const SnapshotArgs = z.strictObject({});
export const RestoreArgs = z.strictObject({
  /** A snapshot id, or `start` for when the sandbox was made. */
  snapshot: z.string(),
  /** One file alone, which must still be what `seen` says: its object id in the difference's `index` line. */
  path: z.optional(z.string()),
  seen: z.optional(z.string().check(z.regex(/^[0-9a-f]{7,64}$/))),
  /** One hunk of that file's difference alone, counted from 1. */
  hunk: z.optional(z.number().check(z.int(), z.positive())),
  /** Only what this sandbox's own calls did since is taken back; what others did stays. */
  own: z.optional(z.boolean()),
  /** With `own`: files that go back although others changed them. */
  also: z.optional(z.array(z.string())),
  /** With `own`: files that stay as they are. */
  except: z.optional(z.array(z.string())),
});
export type RestoreArgs = z.infer<typeof RestoreArgs>;

export const SnapshotValue = z.object({ snapshot: z.string() });
export type SnapshotValue = z.infer<typeof SnapshotValue>;

/** `snapshot`: taken before. `files`: what differs since, of a restore of all; `committed`: which of them a commit holds as they were. */
export const RestoreValue = z.object({
  ...SnapshotValue.shape,
  files: z.optional(z.array(z.object({ path: z.string(), now: z.enum(["changed", "gone", "there"]) }))),
  /** With `own`: files that stayed, since others changed the same lines. */
  mixed: z.optional(z.array(z.string())),
  committed: z.optional(z.object({ commit: z.string(), files: z.array(z.string()) })),
});
export type RestoreValue = z.infer<typeof RestoreValue>;
