// One small record per session, with everything that the list shows.
import * as z from "zod/mini";
import { UndoPoint } from "../../shared/device-notes.ts";
import type { Kv } from "./kv.ts";

export const ModelPick = z.object({
  model: z.optional(z.object({ provider: z.string(), id: z.string() })),
  effort: z.optional(z.string()),
});
export type ModelPick = z.infer<typeof ModelPick>;

export const SessionRecord = z.object({
  id: z.string(),
  title: z.string(),
  /**
   * The name that the app gave the session; a different `title` was chosen by the person. Absent in records from before
   * this field.
   */
  given: z.optional(z.string()),
  /** "" if the session came without files; it can only be read until it gets some. */
  sandboxId: z.string(),
  /** The sandbox's name for people. */
  workspace: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  summary: z.object({ text: z.string(), mark: z.enum(["hollow", "waiting", "running", "done", "failed"]) }),
  /** True if the scripted demo answered in this session. */
  demo: z._default(z.boolean(), false),
  archived: z.optional(z.boolean()),
  /** Its `updatedAt` when the person last looked away from it; missing if they have not been in it. */
  seenAt: z.optional(z.number()),
  /** The beginning of what was typed and not sent when they looked away. */
  unsent: z.optional(z.string()),
  /** True if the person named it here and the server does not know the name yet. */
  untold: z.optional(z.boolean()),
  /** When it was deleted. It is in the bin, from which it is removed for good after some time. */
  deletedAt: z.optional(z.number()),
  /** The source of its files; missing for the server's default files. It never contains credentials. */
  git: z.optional(z.string()),
  ref: z.optional(z.string()),
  /** The branch that was checked out when the server was last asked. */
  branch: z.optional(z.string()),
  /** True if its repository has a remote; missing if that is unknown. */
  remote: z.optional(z.boolean()),
  /** The pull request of its branch as last seen at the forge; `failed` and `running` count its checks. */
  pull: z.optional(
    z.object({
      number: z.number(),
      url: z.string(),
      state: z.enum(["open", "closed", "merged"]),
      draft: z.boolean(),
      failed: z.number(),
      running: z.number(),
    }),
  ),
  /** The folder's name, if its files are a git worktree of their own. */
  worktree: z.optional(z.string()),
  /**
   * The reason why it shares the folder although it should have got a worktree; removed when the person has read it.
   */
  noWorktree: z.optional(z.string()),
  /**
   * For an imported session: the source of its files according to the file. Nothing is fetched before the person asks
   * for it.
   */
  claims: z.optional(z.object({ git: z.string(), ref: z.optional(z.string()) })),
  /** Its files are still being fetched, or could not be fetched. */
  preparing: z.optional(z.boolean()),
  /** True if the browser deleted its messages. */
  lost: z.optional(z.boolean()),
  /** True if it was fetched from a server that no longer had all of it. */
  incomplete: z.optional(z.boolean()),
  /** True if it was exported or imported, so another device may work in the same sandbox. */
  elsewhere: z.optional(z.boolean()),
  /** The newest messages, each with its text and the snapshot of the files before it. */
  undoPoints: z.optional(z.array(UndoPoint)),
  /** The newest undo: the snapshot of the files before it, and to what it went back. */
  undone: z.optional(z.object({ snapshot: z.string(), text: z.string() })),
  /** What the transcript says of undos outside of a turn, each after the entry with this key. */
  undoLines: z.optional(z.array(z.object({ after: z.string(), text: z.string() }))),
  /** Files may have changed since they were last counted, so they are counted when the session is next opened. */
  uncounted: z.optional(z.boolean()),
  /** The session's model; missing for the server's default. */
  model: z.optional(z.object({ provider: z.string(), id: z.string() })),
  /** The model's effort, in its provider's words; missing for the server's default. */
  effort: z.optional(z.string()),
  /** The same for planning; a missing model means the session's own. */
  planning: z.optional(ModelPick),
});
export type SessionRecord = z.infer<typeof SessionRecord>;

const prefix = "session/";

export function recordKey(id: string): string {
  return `${prefix}${id}`;
}

/** All sessions, the latest change first. Records that do not parse are skipped and left unchanged. */
export async function listRecords(kv: Kv): Promise<SessionRecord[]> {
  const records = (await readRecords(kv)).filter(({ deletedAt }) => deletedAt === undefined);
  return records.sort((a, b) => b.updatedAt - a.updatedAt);
}

/** The deleted sessions that are still kept, latest first. */
export async function listBin(kv: Kv): Promise<SessionRecord[]> {
  const records = (await readRecords(kv)).filter(({ deletedAt }) => deletedAt !== undefined);
  return records.sort((a, b) => (b.deletedAt ?? 0) - (a.deletedAt ?? 0));
}

async function readRecords(kv: Kv): Promise<SessionRecord[]> {
  return (await kv.range(prefix)).flatMap(([, value]) => {
    const parsed = z.safeParse(SessionRecord, value);
    return parsed.success ? [parsed.data] : [];
  });
}

export async function readRecord(kv: Kv, id: string): Promise<SessionRecord | undefined> {
  const parsed = z.safeParse(SessionRecord, await kv.get(recordKey(id)));
  return parsed.success ? parsed.data : undefined;
}
