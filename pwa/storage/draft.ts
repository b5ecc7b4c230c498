// What a person has typed or tapped in a session and not sent yet.
import * as z from "zod/mini";
import type { Kv } from "./kv.ts";

export const Draft = z.object({
  text: z.string(),
  /** Raw answers by question id, for the call that asked. */
  answers: z.nullable(
    z.object({ toolCallId: z.string(), index: z.number(), raw: z.record(z.string(), z.string()) }),
  ),
  /** The plan's text as edited by hand, for the version that was edited. */
  planEdit: z.nullable(z.object({ version: z.number(), hash: z.string(), markdown: z.string() })),
  /** An edit that does not read as a plan yet. */
  unfinishedEdit: z._default(z.nullable(z.object({ hash: z.string(), text: z.string() })), null),
  /** What is to be said with a rejection. */
  feedback: z._default(z.string(), ""),
});
export type Draft = z.infer<typeof Draft>;

export const emptyDraft: Draft = {
  text: "",
  answers: null,
  planEdit: null,
  unfinishedEdit: null,
  feedback: "",
};

export function draftKey(sessionId: string): string {
  return `draft/${sessionId}`;
}

export async function readDraft(kv: Kv, sessionId: string): Promise<Draft> {
  const parsed = z.safeParse(Draft, await kv.get(draftKey(sessionId)));
  return parsed.success ? parsed.data : emptyDraft;
}

export async function writeDraft(kv: Kv, sessionId: string, draft: Draft): Promise<void> {
  await kv.write([[draftKey(sessionId), draft]]);
}
