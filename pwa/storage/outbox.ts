// A session's sent and waiting messages: stored before a request leaves, so that nothing said is lost.
import * as z from "zod/mini";
import { ModelRef, ToolProtocol } from "../../shared/event.ts";
import { Attachment } from "../../shared/message.ts";
import { Mode } from "../../shared/mode.ts";
import { Plan } from "../../shared/plan/plan-file.ts";
import { PostedPlaces } from "../../shared/session/session-state.ts";
import { CountedHistory, TurnInput, TurnOptions } from "../../shared/turn.ts";
import type { Kv } from "./kv.ts";

/** The turn's request without the messages, which are the session's first `historyCount` entries. */
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
  /** Which entries are sent; null if this was not recorded, so that it is derived from the messages. */
  posted: z._default(z.nullable(PostedPlaces), null),
  /** The limit for the turn's cost in US dollars when it was written. */
  spendLimit: z.optional(z.number()),
  deliver: TurnOptions.shape.deliver,
  mcp: TurnOptions.shape.mcp,
  hooks: TurnOptions.shape.hooks,
  explore: TurnOptions.shape.explore,
  /** The limits for the time during which the person does not watch the turn. */
  unattended: TurnOptions.shape.unattended,
  /** The model's effort. */
  effort: z.optional(z.string()),
  /** The previous turn, up to the event that this device had stored. */
  stored: z.optional(
    z.object({
      ...{ turnId: z.string(), after: z.number(), seen: z.string() },
      newest: z.optional(z.literal(true)),
    }),
  ),
  /** The history that the person chose: this phone's or the server's. */
  counts: z.optional(CountedHistory),
  /** True if another device posted the turn: it is followed here, and its request is not known. */
  other: z.optional(z.literal(true)),
});
export type OutboxTurn = z.infer<typeof OutboxTurn>;

/** Messages written while a turn ran, which can still be edited or taken back. */
export const QueuedMessage = z.object({
  id: z.string(),
  text: z.string(),
  attachments: z.optional(z.array(Attachment)),
});
export type QueuedMessage = z.infer<typeof QueuedMessage>;

/** `turn` is the one being sent or running; null if there is none. */
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
