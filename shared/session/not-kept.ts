// Ends a turn whose remaining events the server has discarded, and describes that to the person. Pure.
import type { ErrorInfo } from "../errors.ts";
import type { DurableEvent } from "../event.ts";
import type { ToolCall } from "../message.ts";
import type { Mode } from "../mode.ts";
import { reduce } from "./reduce.ts";
import type { Entry, SessionState } from "./session-state.ts";
import { plural } from "./session-summary.ts";
import { notKeptMessage } from "./takeable.ts";

/** Whether the turn ended because its result has been discarded, not because it failed. */
export function isNotKept(error: ErrorInfo | undefined): boolean {
  return error?.code === "not_kept";
}

/** Whether the entries contain a message of the turn. */
export function hasMessagesOf(turnId: string, entries: readonly Entry[]): boolean {
  return entries.some((entry) => entry.turnId === turnId && entry.event === "message");
}

/**
 * The session with the turn ended here. `there`: the turn's durable events that the server still has. Only the plans
 * among them are used, because the server checks the next turn's plan against them; messages without the ones before
 * them would form a history that servers reject. For the same reason, calls that lost their results get results that
 * say so.
 */
export function endWithoutRest(
  state: SessionState,
  turnId: string,
  there: readonly DurableEvent[],
  now: number,
): SessionState {
  const begun = state.head.turn?.id === turnId;
  const known = begun ? (state.head.turn?.lastEventId ?? 0) : 0;
  const left = there.filter(({ id }) => id > known);
  const last = Math.max(known, ...left.map(({ id }) => id));
  const { openCalls } = state.head;
  const ending = left.find(({ event }) => event === "turn.done" || event === "turn.failed");
  const lost = Math.max(1, last - known - left.length);
  const plan = left.findLast((event) => event.event === "plan")?.data.plan ?? state.head.plan;
  const before: SessionState = {
    ...state,
    head: { ...state.head, plan, turn: { id: turnId, status: "running", lastEventId: known } },
  };
  const results = openCalls.map((call, at) => notKeptResult(call, known + at + 1, state.head.mode, now));
  const message = inWords({ begun, lost, results: openCalls.length, ended: ending !== undefined });
  const failed: DurableEvent = {
    id: Math.max(last, known + results.length) + 1,
    event: "turn.failed",
    data: { error: { code: "not_kept", message, retryable: false } },
  };
  return [...results, failed].reduce(reduce, before);
}

function notKeptResult(call: ToolCall, id: number, mode: Mode, now: number): DurableEvent {
  return { id, event: "message", data: { message: notKeptMessage(call, mode, now) } };
}

interface Lost {
  begun: boolean;
  /** Events of the turn that no one has any more. */
  lost: number;
  /** How many of them are results of calls that the transcript shows. */
  results: number;
  ended: boolean;
}

function inWords({ begun, lost, results, ended }: Lost): string {
  const what = begun
    ? `The rest of this answer is gone: the server no longer keeps ${plural(lost, "entry", "entries")} after what you see above${results === 0 ? "" : `, the ${results === 1 ? "result of one call" : `results of ${results} calls`} among them`}.`
    : `The answer is gone: the server took your message, and no longer keeps the ${plural(lost, "entry", "entries")} that came of it. What you sent is given back below.`;
  const end = ended ? "The turn had ended there." : "It was stopped there.";
  return `${what} ${end} What it changed in the workspace stays, and Changes shows it.`;
}
