// A session's sent and waiting messages: stored before a request leaves, so that nothing said is lost.
import * as z from "zod/mini";
import { ModelRef, ToolProtocol } from "../../shared/event.ts";
import { Attachment } from "../../shared/message.ts";
import { Mode } from "../../shared/mode.ts";
import { Plan } from "../../shared/plan/plan-file.ts";
import { PostedPlaces } from "../../shared/session/session-state.ts";
import { CountedHistory, TurnInput, TurnOptions } from "../../shared/turn.ts";
import type { Kv } from "./kv.ts";

/** Everything of a turn's request but the messages, which are the session's first `historyCount` entries. */
export const OutboxTurn = z.object({
  turnId: z.string(),
  attempt: z.number(),
  state: z.enum(["queued", "sent"]),
  mode: Mode,
  model: z.nullable(ModelRef),
  plan: z.nullable(Plan),
  input: TurnInput,
  toolProtocol: z.nullable(ToolProtocol),
  historyCount: z.number(),
  /** Which of them are sent; null = not recorded, derived from the messages. */
  posted: z._default(z.nullable(PostedPlaces), null),
  /** US dollars that the turn may cost, as it was when it was written. */
  spendLimit: z.optional(z.number()),
  deliver: TurnOptions.shape.deliver,
  mcp: TurnOptions.shape.mcp,
  hooks: TurnOptions.shape.hooks,
  explore: TurnOptions.shape.explore,
  /** What it may use while nobody watches it. */
  unattended: TurnOptions.shape.unattended,
  /** How much the model reasons. */
  effort: z.optional(z.string()),
  /** The turn before, as storage had it. */
  stored: z.optional(
    z.object({
      ...{ turnId: z.string(), after: z.number(), seen: z.string() },
      newest: z.optional(z.literal(true)),
    }),
  ),
  /** The history that the person chose: this phone's, or the server's. */
  counts: z.optional(CountedHistory),
  /** Another device posted it: here it is followed, and what it was posted with is not known. */
  other: z.optional(z.literal(true)),
});
export type OutboxTurn = z.infer<typeof OutboxTurn>;

/** Said while a turn ran; still to be edited or taken back. */
export const QueuedMessage = z.object({
  id: z.string(),
  text: z.string(),
  attachments: z.optional(z.array(Attachment)),
});
export type QueuedMessage = z.infer<typeof QueuedMessage>;

/** `turn`: the running one; null = done. */
export const Outbox = z.object({ turn: z.nullable(OutboxTurn), queue: z.array(QueuedMessage) });
export type Outbox = z.infer<typeof Outbox>;

export const emptyOutbox: Outbox = { turn: null, queue: [] };

export function outboxKey(sessionId: string): string {
  return `outbox/${sessionId}`;
}

export async function readOutbox(kv: Kv, sessionId: string): Promise<Outbox> {
  const parsed = z.safeParse(Outbox, await kv.get(outboxKey(sessionId)));
  return parsed.success ? parsed.data : emptyOutbox;
}
