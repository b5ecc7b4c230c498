// What the sessions list needs to know of a session: one small record each.
import * as z from "zod/mini";
import type { Kv } from "./kv.ts";

export const SessionRecord = z.object({
  id: z.string(),
  title: z.string(),
  sandboxId: z.string(),
  /** A name for people. */
  workspace: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  summary: z.object({ text: z.string(), mark: z.enum(["hollow", "waiting", "running", "done", "failed"]) }),
  /** true = the scripted demo answered here. */
  demo: z._default(z.boolean(), false),
});
export type SessionRecord = z.infer<typeof SessionRecord>;

const prefix = "session/";

export function recordKey(id: string): string {
  return `${prefix}${id}`;
}

/** All sessions, the one that changed last first. Records that do not parse are left alone and left out. */
export async function listRecords(kv: Kv): Promise<SessionRecord[]> {
  const records: SessionRecord[] = [];
  for (const [, value] of await kv.range(prefix)) {
    const parsed = z.safeParse(SessionRecord, value);
    if (parsed.success) records.push(parsed.data);
  }
  return records.sort((a, b) => b.updatedAt - a.updatedAt);
}

export async function readRecord(kv: Kv, id: string): Promise<SessionRecord | undefined> {
  const parsed = z.safeParse(SessionRecord, await kv.get(recordKey(id)));
  return parsed.success ? parsed.data : undefined;
}
