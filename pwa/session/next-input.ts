// Chooses the input that follows a turn automatically, without a tap. Pure.
import type { ErrorInfo } from "../../shared/errors.ts";
import { isNotKept } from "../../shared/session/not-kept.ts";
import type { SessionState } from "../../shared/session/session-state.ts";
import { waitingFor } from "../../shared/session/waiting.ts";
import type { TurnInput } from "../../shared/turn.ts";
import type { Draft } from "../storage/draft.ts";
import type { QueuedMessage } from "../storage/outbox.ts";
import { permitInput } from "./permit-input.ts";

/**
 * This many `continue` turns are sent without asking: an agent that uses up this many budgets in a row is caught in a
 * loop.
 */
export const maxContinues = 20;

/** A queued message as an input. */
export function messageOf({ text, attachments }: QueuedMessage): TurnInput {
  return { type: "message", text, ...(attachments === undefined ? {} : { attachments }) };
}

/** Returns whether the turn failed only because its history is gone or was replaced: the next input need not wait. */
function freed(error: ErrorInfo | undefined): boolean {
  return isNotKept(error) || error?.code === "history_differs";
}

/**
 * The next input, or undefined if the person has to act first: their decisions on waiting calls once all are made, else
 * a queued message, else `continue` after a run that used up its budget. `continues`: how many of these were sent in a
 * row. After a stop, neither a queued message nor `continue` follows.
 */
export function nextInput(
  state: SessionState,
  queue: readonly QueuedMessage[],
  continues: number,
  decisions: Draft["decisions"] = [],
): TurnInput | undefined {
  const asked = waitingFor(state);
  const waiting = asked.kind;
  if (asked.kind === "permission") return permitInput(asked.asked, decisions);
  const next = queue[0];
  const free =
    waiting === "nothing" || waiting === "open" || waiting === "continue" || freed(state.head.turn?.error);
  if (next !== undefined && free && state.head.turn?.reason !== "stopped") {
    return messageOf(next);
  }
  return waiting === "continue" && continues < maxContinues ? { type: "continue" } : undefined;
}
