// Follows a turn through its journal: first the recorded events, then what its runner adds, in whichever process. Runs
// nothing.
import * as z from "zod/mini";
import type { TurnEvent } from "../../shared/event.ts";
import { hookRunOfKey } from "../../shared/hooks.ts";
import type { JournalLine } from "../../shared/journal.ts";
import type { AssistantMessage } from "../../shared/message.ts";
import type { Redactor } from "../../shared/redact/redactor.ts";
import type { StoredTurn } from "../../shared/turn.ts";
import { originOfMessage } from "../calls/open-calls.ts";
import type { Deps } from "../deps.ts";
import * as limits from "../limits.ts";
import { TurnContext } from "../turn/env.ts";
import { callStarted, endedEarly, ownerOfKey, ShownOutput, Told } from "../turn/told.ts";

/**
 * Yields the events that the client does not have. Ends with the turn's last event, or without it
 *
 * - when the sandbox says that nobody runs the turn;
 * - when nothing was journaled for 11 minutes, or for 90 s if the sandbox cannot see the runner;
 * - 1 s after a stop.
 *
 * The client then posts the turn again. `own`: redacts our own keys and the person's in live output, as the runner does.
 * Throws `not_found` for an unknown turn, `history_differs` if the client's events are not the journaled ones.
 */
export async function followTurn(
  deps: Pick<Deps, "sandbox">,
  sandboxId: string,
  stored: StoredTurn,
  own: Redactor,
  signal: AbortSignal,
): Promise<AsyncGenerator<TurnEvent>> {
  const open = (from: number, waitMs: number) =>
    deps.sandbox.journal(sandboxId, stored.turnId, from, waitMs, signal);
  const lines = open(0, limits.followPollMs);
  const first = await lines.next();
  return followedEvents({ first, opened: lines, open, stored, own });
}

interface Following {
  first: IteratorResult<JournalLine, void>;
  opened: AsyncGenerator<JournalLine, void>;
  open(from: number, waitMs: number): AsyncGenerator<JournalLine, void>;
  stored: StoredTurn;
  own: Redactor;
}

async function* followedEvents({ first, opened, open, stored, own }: Following): AsyncGenerator<TurnEvent> {
  const messages = new Map<string, AssistantMessage>();
  const output = new ShownOutput(own);
  const told = new Told(stored);
  let isCompared = false;
  /** The client already has the turn's last event. */
  let ended = false;
  let results = 0;
  let seq = 0;
  let stopped = false;
  let attends = false;
  /** Counted in polls that found nothing, not by a clock: a clock that jumps would have a healthy runner taken over. */
  let idleMs = 0;
  let grew = false;
  let lines = opened;
  let next = first;
  for (;;) {
    for (; !next.done; next = await lines.next()) {
      const line = next.value;
      if (line.type === "ping") {
        // The first ping comes once everything that was journaled has been sent.
        if (isCompared) continue;
        told.checkAll(results);
        isCompared = true;
        grew = false;
        continue;
      }
      if (line.type === "unattended") {
        await lines.return();
        return;
      }
      seq = line.seq;
      grew = true;
      if (line.type === "stop") {
        // Leaves the current long poll; the rest is read with a short one.
        stopped = true;
        break;
      }
      if (line.type === "claim") {
        attends = line.attends === true;
        const { data: context } = z.safeParse(TurnContext, line.context);
        if (context?.resumes) remember(messages, context.resumes.message);
      }
      if (line.type === "started") {
        const toolCallId = shownCallId(line.key, messages);
        const begun = toolCallId === undefined ? undefined : callStarted(toolCallId, line, line.at);
        if (begun) yield begun;
      }
      if (line.type === "output") {
        const toolCallId = shownCallId(line.key, messages);
        const shown = toolCallId === undefined ? undefined : output.event(toolCallId, line);
        if (shown) yield shown;
      }
      if (line.type === "result") {
        results += 1;
        const over = endedEarly(line, shownCallId(line.key, messages));
        if (over) yield over;
      }
      if (line.type !== "record") continue;
      results = 0;
      for (const recorded of line.events) {
        const { event, gap } = told.take(recorded);
        if (event.event === "message" && event.data.message.role === "assistant")
          remember(messages, event.data.message);
        const isEnd = event.event === "turn.done" || event.event === "turn.failed";
        if (event.id <= stored.after) {
          ended ||= isEnd;
          continue;
        }
        if (gap) yield gap;
        yield event;
        if (isEnd) return;
      }
    }
    await lines.return();
    if (ended) return told.checkAll(0);
    const pollMs = stopped ? limits.stopGraceMs : limits.followPollMs;
    idleMs = grew ? 0 : idleMs + pollMs;
    // Nobody runs a stopped turn, so its ending arrives at once or never; posting the turn again writes it.
    const patienceMs = stopped ? limits.stopGraceMs : attends ? limits.followAttendedMs : limits.followIdleMs;
    if (idleMs >= patienceMs) return;
    grew = false;
    lines = open(seq + 1, pollMs);
    next = await lines.next();
  }
}

/** Stores the message under TURN/ROUND, which the keys of its calls begin with. */
function remember(messages: Map<string, AssistantMessage>, message: AssistantMessage): void {
  const origin = originOfMessage(message.id);
  if (origin) messages.set(`${origin.turnId}/${origin.round}`, message);
}

/** The id under which the person sees the call: that of the model's call, or of the turn's hooks. */
function shownCallId(key: string, messages: ReadonlyMap<string, AssistantMessage>): string | undefined {
  const owner = ownerOfKey(key);
  if (!owner) return hookRunOfKey(key);
  return messages.get(owner.origin)?.toolCalls?.[owner.ordinal]?.id;
}
