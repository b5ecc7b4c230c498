// The only reducer of a session: the phone and the tests apply the same events with it. Pure.
import { type DurableEvent, isDurable, isSameModel, type TurnEvent } from "../event.ts";
import { hooksFile, hooksFound } from "../hooks-found.ts";
import type { EventMessage, Message } from "../message.ts";
import { addedChanges, commandRan } from "./call-facts.ts";
import { beginsPlan, isFinish, isMarker, isOfPlan } from "./history.ts";
import { reduceLive } from "./live.ts";
import { finishedPlan, mergeStep, proposedPlan } from "./plan-progress.ts";
import { roundOf } from "./sampling-round.ts";
import {
  type Entry,
  noLive,
  type PostedPlaces,
  type SessionHead,
  type SessionState,
} from "./session-state.ts";
import { addSpent } from "./spending.ts";
import { type Permission, permissionsOf } from "./waiting.ts";

/**
 * The session after `event`. Durable events of the current turn up to its last id change nothing, so a replay can be
 * applied again; only `turn.started` with a new id begins another turn. Ephemeral events change only `live`.
 */
export function reduce(state: SessionState, event: TurnEvent): SessionState {
  if (!isDurable(event)) return { ...state, live: reduceLive(state.live, event) };
  if (isKnown(state.head, event)) return state;
  const turnId = event.event === "turn.started" ? event.data.turnId : (state.head.turn?.id ?? "");
  const head = advance(foldHead(state.head, event), event);
  const live = foldLive(state.live, event);
  if (event.event === "plan") return { ...state, head, live };
  const { seen: _hash, ...plain } = event;
  const entry: Entry = { ...plain, turnId };
  return { head: { ...head, entryCount: head.entryCount + 1 }, entries: [...state.entries, entry], live };
}

function isKnown(head: SessionHead, event: DurableEvent): boolean {
  if (event.event === "turn.started" && head.turn?.id !== event.data.turnId) return false;
  return head.turn !== null && event.id <= head.turn.lastEventId;
}

function advance(head: SessionHead, { id, seen }: DurableEvent): SessionHead {
  if (head.turn === null) return head;
  const { seen: _before, ...turn } = head.turn;
  return { ...head, turn: { ...turn, lastEventId: id, ...(seen !== undefined && { seen }) } };
}

function foldHead(head: SessionHead, event: DurableEvent): SessionHead {
  switch (event.event) {
    case "turn.started": {
      const { turnId, mode, model, toolProtocol } = event.data;
      // After a change of model, the event may only echo what this client remembered about the previous one, so it is
      // ignored.
      const same = head.model === null || isSameModel(head.model, model);
      return {
        ...head,
        mode,
        model,
        toolProtocol: same ? toolProtocol : null,
        turn: { id: turnId, status: "running", lastEventId: 0 },
      };
    }
    case "mode":
      return { ...head, mode: event.data.to };
    case "message":
      return foldMessage(head, event.data.message);
    case "plan": {
      const { plan } = event.data;
      const stands = plan.status === "proposed" && head.proposal?.planHash === plan.hash;
      return { ...head, plan, proposal: stands ? head.proposal : null };
    }
    case "step":
      return { ...head, plan: mergeStep(head.plan, event.data) };
    case "questions":
      return { ...head, asked: event.data };
    case "proposal":
      return { ...head, proposal: event.data, plan: proposedPlan(head.plan, event.data) };
    case "permission":
      return withAsked(head, askedAnew(permissionsOf(head), event.data));
    case "ledger":
      return head;
    case "turn.done":
      return head.turn === null
        ? head
        : { ...head, turn: { ...head.turn, status: "done", reason: event.data.reason } };
    case "turn.failed":
      return head.turn === null
        ? head
        : { ...head, turn: { ...head.turn, status: "failed", error: event.data.error } };
  }
}

function foldMessage(head: SessionHead, message: Message): SessionHead {
  return foldCounts(
    { ...head, posted: head.posted && foldPosted(head.posted, message, head.entryCount) },
    message,
  );
}

/** `place`: the message's index among the entries. The rules are those of `historyForTurn`. */
function foldPosted(posted: PostedPlaces, message: Message, place: number): PostedPlaces {
  if (message.role === "user" && posted.firstUser === null) return { ...posted, firstUser: place };
  if (isMarker(message)) return { ...posted, from: place };
  if (isFinish(message)) return { ...posted, plan: [] };
  if (!isOfPlan(message)) return posted;
  return { ...posted, plan: beginsPlan(message) ? [place] : [...posted.plan, place] };
}

function foldCounts(head: SessionHead, message: Message): SessionHead {
  switch (message.role) {
    case "user":
      return { ...head, saidCount: head.saidCount + 1 };
    case "assistant":
      return {
        ...head,
        saidCount: head.saidCount + 1,
        spent: addSpent(head.spent, message),
        openCalls: [...head.openCalls, ...(message.toolCalls ?? [])],
        // The call may have written the file of hooks, so the next turn is posted with hooks.
        ...(message.toolCalls?.some((call) => call.arguments.includes(hooksFile)) && { hooks: true }),
      };
    case "tool": {
      const id = message.toolCallId;
      return {
        ...withoutAsked(head, id),
        openCalls: head.openCalls.filter((call) => call.id !== id),
        asked: head.asked?.toolCallId === id ? null : head.asked,
        changes: addedChanges(head.changes, message),
        commandCount: head.commandCount + (commandRan(message) ? 1 : 0),
      };
    }
    case "event":
      return {
        ...withoutAsked(head, decidedIn(message)),
        spent: addSpent(head.spent, message),
        plan: finishedPlan(head.plan, message.extra.event),
        ...((message.extra.event.source === hooksFound || message.content.includes(hooksFile)) && {
          hooks: true,
        }),
      };
    case "plan":
    case "system":
      return head;
  }
}

/** Replaces an earlier question about the same call; a new one is appended. */
function askedAnew(asked: readonly Permission[], next: Permission): Permission[] {
  const known = asked.some(({ toolCallId }) => toolCallId === next.toolCallId);
  return known ? asked.map((one) => (one.toolCallId === next.toolCallId ? next : one)) : [...asked, next];
}

function withAsked(head: SessionHead, asked: readonly Permission[]): SessionHead {
  const [first, ...alsoAsked] = asked;
  return { ...head, permission: first ?? null, alsoAsked };
}

function withoutAsked(head: SessionHead, callId: string | undefined): SessionHead {
  const asked = permissionsOf(head);
  return asked.some(({ toolCallId }) => toolCallId === callId)
    ? withAsked(
        head,
        asked.filter(({ toolCallId }) => toolCallId !== callId),
      )
    : head;
}

/** The id of the call that this message decides. */
function decidedIn({ extra: { event } }: EventMessage): string | undefined {
  const { toolCallId } = event.data;
  return event.subkind === "tool_decision" && typeof toolCallId === "string" ? toolCallId : undefined;
}

function foldLive(live: SessionState["live"], event: DurableEvent): SessionState["live"] {
  if (event.event === "turn.started") return { ...noLive, context: live.context };
  if (event.event === "turn.done" || event.event === "turn.failed") {
    return { ...noLive, context: live.context, usage: live.usage, malformed: live.malformed };
  }
  if (event.event !== "message") return live;
  const message = event.data.message;
  if (message.role === "assistant") {
    // A message is sent only after it is journaled, so the next round may already be streaming.
    const ofNext = live.partial !== null && roundOf(live.partial.messageId) !== roundOf(message.id);
    return ofNext ? live : { ...live, partial: null, wait: null };
  }
  if (message.role !== "tool") return live;
  const { [message.toolCallId]: _ended, ...output } = live.output;
  const { [message.toolCallId]: _begun, ...started } = live.started;
  return {
    ...live,
    output,
    started,
    calls: live.calls.filter((call) => call.toolCallId !== message.toolCallId),
  };
}
