// Everything in a session that the person has typed or chosen but not sent yet.
import * as z from "zod/mini";
import { Attachment } from "../../shared/message.ts";
import { SecondOpinion } from "../../shared/second-opinion.ts";
import type { Kv } from "./kv.ts";

/** `quote` is the line's text; `line` is its number: in the old file if it was removed, otherwise in the new one. */
export const LineComment = z.object({
  path: z.string(),
  line: z.number(),
  removed: z.boolean(),
  quote: z.string(),
  text: z.string(),
});
export type LineComment = z.infer<typeof LineComment>;

export const SeenPlan = z.object({ version: z.number(), hash: z.string(), markdown: z.string() });
export type SeenPlan = z.infer<typeof SeenPlan>;

export const Draft = z.object({
  text: z.string(),
  /** Unsent answers to the questions of this call, as typed or tapped, by question id. */
  answers: z.nullable(
    z.object({ toolCallId: z.string(), index: z.number(), raw: z.record(z.string(), z.string()) }),
  ),
  /** The person's edited text of the plan, with the version that they edited. */
  planEdit: z.nullable(z.object({ version: z.number(), hash: z.string(), markdown: z.string() })),
  /** An edit that does not parse as a plan yet. */
  unfinishedEdit: z._default(z.nullable(z.object({ hash: z.string(), text: z.string() })), null),
  /** The text of a rejection. */
  feedback: z._default(z.string(), ""),
  /** Comments on single steps, by step id or quote, written for the plan with that hash. */
  stepComments: z._default(
    z.nullable(
      z.object({
        ...{ hash: z.string(), texts: z.record(z.string(), z.string()) },
        /** By step id: the step's text at the time of the comment. */
        about: z.optional(z.record(z.string(), z.string())),
      }),
    ),
    null,
  ),
  /**
   * Decisions on waiting calls, kept until all calls of the answer are decided. Each holds only for the call and the
   * question exactly as they were shown.
   */
  decisions: z._default(
    z.array(
      z.object({
        toolCallId: z.string(),
        arguments: z.string(),
        why: z.string(),
        decision: z.enum(["once", "session", "deny", "never"]),
        text: z.optional(z.string()),
      }),
    ),
    [],
  ),
  /** The unfinished reason why a call is not allowed. */
  denial: z._default(z.string(), ""),
  /** Comments on lines of changes, which are sent together. */
  lineComments: z._default(z.array(LineComment), []),
  /** By path: which content of a changed file the person has viewed. */
  viewed: z._default(z.record(z.string(), z.string()), {}),
  /** The message of the next commit; empty for the drafted one. */
  commitMessage: z._default(z.string(), ""),
  /** The plan as the person last looked at it in full. */
  seenPlan: z._default(z.nullable(SeenPlan), null),
  /** What another model said about the plan with that hash, and which of its points were taken over. */
  opinion: z._default(
    z.nullable(z.object({ hash: z.string(), said: SecondOpinion, taken: z.array(z.number()) })),
    null,
  ),
  /** Files and images that are sent with the text. */
  attachments: z._default(z.array(Attachment), []),
  /**
   * The id that the turn of this message will have, so that the server can be asked whether it was sent. null if no
   * message is being written.
   */
  turnId: z._default(z.nullable(z.string()), null),
  /** When it was last changed, in milliseconds: of two tabs' drafts the later one counts. */
  at: z._default(z.number(), 0),
});
export type Draft = z.infer<typeof Draft>;

export const emptyDraft: Draft = {
  text: "",
  answers: null,
  planEdit: null,
  unfinishedEdit: null,
  feedback: "",
  stepComments: null,
  decisions: [],
  denial: "",
  lineComments: [],
  viewed: {},
  commitMessage: "",
  seenPlan: null,
  opinion: null,
  attachments: [],
  turnId: null,
  at: 0,
};

/** Returns whether Send would have nothing to send. */
export function isEmptyMessage({ text, attachments }: Draft): boolean {
  return text.trim() === "" && attachments.length === 0;
}

export function draftKey(sessionId: string): string {
  return `draft/${sessionId}`;
}

/** Reads the stored draft, including the last text that was typed before the page closed. */
export async function readDraft(kv: Kv, sessionId: string): Promise<Draft> {
  const parsed = z.safeParse(Draft, await kv.get(draftKey(sessionId)));
  const stored = parsed.success ? parsed.data : emptyDraft;
  const typed = lastMoment(sessionId);
  return typed === undefined || typed.at < stored.at ? stored : { ...typed, attachments: stored.attachments };
}

/** Stores `draft`, unless another tab has stored a newer one. */
export async function writeDraft(kv: Kv, sessionId: string, draft: Draft): Promise<void> {
  await kv.update(draftKey(sessionId), (old) => {
    const other = z.safeParse(Draft, old);
    return other.success && other.data.at > draft.at ? old : draft;
  });
  try {
    localStorage.removeItem(draftKey(sessionId));
  } catch {
    // Without local storage, there is nothing to remove from it.
  }
}

/**
 * Stores `draft` synchronously, for a page that is about to unload: Chromium drops an IndexedDB write that begins then.
 * Files are too large for this place; they were stored when they were attached.
 */
export function keepLastMoment(sessionId: string, draft: Draft): void {
  try {
    localStorage.setItem(draftKey(sessionId), JSON.stringify({ ...draft, attachments: [] }));
  } catch {
    // Storage is full or forbidden: only the earlier data remains.
  }
}

function lastMoment(sessionId: string): Draft | undefined {
  try {
    const parsed = z.safeParse(Draft, JSON.parse(localStorage.getItem(draftKey(sessionId)) ?? "null"));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
