// What the sessions list needs to know of a session: one small record each.
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
  /** The name that the app gave it; another `title` is the person's own. Records made before this was noted have none. */
  given: z.optional(z.string()),
  /** "" = it came without files and can only be read until it is given some. */
  sandboxId: z.string(),
  /** A name for people. */
  workspace: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  summary: z.object({ text: z.string(), mark: z.enum(["hollow", "waiting", "running", "done", "failed"]) }),
  /** true = the scripted demo answered here. */
  demo: z._default(z.boolean(), false),
  archived: z.optional(z.boolean()),
  /** A person named it here, and the server has not heard of it. */
  untold: z.optional(z.boolean()),
  /** When it was deleted. It is in the bin, which removes it for good after a while. */
  deletedAt: z.optional(z.number()),
  /** Where its files came from; missing = what the server gives without being asked. Never with credentials. */
  git: z.optional(z.string()),
  ref: z.optional(z.string()),
  /** That its files were on when last asked. */
  branch: z.optional(z.string()),
  /** Its repository has a remote; missing = nobody looked. */
  remote: z.optional(z.boolean()),
  /** Of its branch, as it was last seen at the forge: `failed` and `running` count its checks. */
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
  /** Its files are a git worktree of its own, of the folder of that name. */
  worktree: z.optional(z.string()),
  /** Why it shares the folder although it was to have a worktree; removed when the person has read it. */
  noWorktree: z.optional(z.string()),
  /** Of an imported session: where the file says that its files came from. Nothing is fetched before a person asks for it. */
  claims: z.optional(z.object({ git: z.string(), ref: z.optional(z.string()) })),
  /** Its files are still being fetched, or could not be. */
  preparing: z.optional(z.boolean()),
  /** The browser deleted its messages. */
  lost: z.optional(z.boolean()),
  /** It was fetched from a server that did not have all of it any more. */
  incomplete: z.optional(z.boolean()),
  /** It was exported or imported: another device may work in the same sandbox. */
  elsewhere: z.optional(z.boolean()),
  /** The files as they were before the newest messages: what each said, and the snapshot. */
  undoPoints: z.optional(z.array(UndoPoint)),
  /** The newest undo: the files as they were before it, and what it went back to before. */
  undone: z.optional(z.object({ snapshot: z.string(), text: z.string() })),
  /** Files may have changed since they were last counted: they are counted where the session is opened next. */
  uncounted: z.optional(z.boolean()),
  /** What answers here; missing = the server's default. */
  model: z.optional(z.object({ provider: z.string(), id: z.string() })),
  /** How much it reasons, in its provider's words; missing = as the server has it. */
  effort: z.optional(z.string()),
  /** The same for planning; a model that is missing is that of the session. */
  planning: z.optional(ModelPick),
});
export type SessionRecord = z.infer<typeof SessionRecord>;

const prefix = "session/";

export function recordKey(id: string): string {
  return `${prefix}${id}`;
}

/** All sessions, latest change first. Records that do not parse are left alone and left out. */
export async function listRecords(kv: Kv): Promise<SessionRecord[]> {
  const records = (await readRecords(kv)).filter(({ deletedAt }) => deletedAt === undefined);
  return records.sort((a, b) => b.updatedAt - a.updatedAt);
}

/** Deleted sessions that are still kept, latest first. */
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
