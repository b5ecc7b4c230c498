// What a running turn knows. Durable events are applied to it as they are staged, by the same rules on every run.
import type {
  DurableDraft,
  DurableEvent,
  EphemeralEvent,
  ModelRef,
  ToolProtocol,
} from "../../shared/event.ts";
import type { Grant } from "../../shared/grant.ts";
import type { AssistantMessage, EventMessage, Message, ToolMessage } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { Decision } from "../../shared/plan/question.ts";
import { withStep } from "../../shared/plan/steps.ts";
import type { Redactor } from "../../shared/redact/redactor.ts";
import type { RunMode, TurnRequest } from "../../shared/turn.ts";
import type { Carried } from "../context/carried.ts";
import type { Deps } from "../deps.ts";
import type { Refused } from "../model/failure.ts";
import { readFallback } from "../model/fallback.ts";
import type { ModelSettings, Provider } from "../model/provider.ts";
import type { TurnLog } from "./replay-log.ts";
import type { TurnContext } from "./turn-context.ts";

/** Decisions whose ledger has not been shown, with the plan as it was before they were made. */
export interface OpenLedger {
  decisions: Decision[];
  before: Plan | null;
}

/** How a turn is told to end early. */
export interface TurnSignals {
  /** The person pressed stop. */
  stop: AbortSignal;
  /** The client is gone and this host must not begin anything new. */
  leave: AbortSignal;
}

type TextPiece = Extract<EphemeralEvent, { event: "text.delta" | "reasoning.delta" }>;
export type Say = (event: TextPiece) => void;

export interface TurnState {
  readonly deps: Deps;
  readonly request: TurnRequest;
  readonly log: TurnLog;
  readonly signals: TurnSignals;
  /**
   * Takes the pieces of a text as the model writes them, at once and in their place among what the turn yields:
   * handed up through its generators each of them would cost more than it did to read.
   */
  readonly say: Say;
  readonly provider: Provider;
  readonly model: ModelSettings;
  readonly apiKey: string | undefined;
  /** Of all known secrets, and of our own and the person's alone. */
  readonly redactors: { all: Redactor; own: Redactor };
  /** Of the HTTP request that runs the turn: errors and the log name it. */
  readonly requestId: string;
  readonly startedAt: number;
  readonly context: TurnContext;
  /** What this run of the turn has cost its host so far. */
  readonly used: { subrequests: number };
  readonly history: Message[];
  /** What the marker at the beginning of a long history's tail stands for. */
  readonly carried: Carried;
  /** What the person allowed in this sandbox, as its journal says. */
  readonly grants: readonly Grant[];
  plan: Plan | null;
  mode: Mode;
  toolProtocol: ToolProtocol;
  /** What requests to this model leave out. */
  readonly omit: Set<Refused>;
  /** Requests to the model beside the one of each round. */
  retries: number;
  /** Rounds sampled in this turn so far. */
  round: number;
  ledger: OpenLedger | null;
  /** `run:true` of the answers: execute in this mode as soon as the plan is patched. */
  run: RunMode | null;
  /** Rounds in a row in which every call was refused or malformed. */
  badRounds: number;
}

/** Stages a draft and applies what it says to the state. `implied`: see TurnLog.stage. */
export function emit(state: TurnState, draft: DurableDraft, implied = false): DurableEvent {
  const event = state.log.stage(draft, implied);
  apply(state, event);
  return event;
}

export function apply(state: TurnState, event: DurableEvent): void {
  state.plan = planAfter(state.plan, event);
  switch (event.event) {
    case "message": {
      const { message } = event.data;
      state.history.push(message);
      const fallback = readFallback(message);
      if (fallback?.part === "tools") state.toolProtocol = "text";
      if (fallback?.part === "images") state.omit.add("images");
      break;
    }
    case "mode":
      state.mode = event.data.to;
      break;
    default:
  }
}

/** The plan file behind an event. */
export function planAfter(plan: Plan | null, event: DurableEvent): Plan | null {
  if (event.event === "plan") return event.data.plan;
  if (event.event !== "step" || !plan) return plan;
  const { stepId, ...patch } = event.data;
  return withStep(plan, stepId, patch);
}

export function modelRef(state: TurnState): ModelRef {
  return { provider: state.provider.id, id: state.model.id };
}

/** The model's name in counts and calibrations. */
export function modelName({ provider, model }: Pick<TurnState, "provider" | "model">): string {
  return `${provider.id}/${model.id}`;
}

/** What a hidden event message is made of. `at`: milliseconds, taken from what caused it, so that a replay is identical. */
export interface EventSource {
  id: string;
  at: number;
  subkind: string;
  source: string;
  content: string;
  data?: Record<string, unknown>;
}

/** A hidden event message. */
export function eventMessage({ mode }: { mode: Mode }, from: EventSource): EventMessage {
  return {
    id: from.id,
    role: "event",
    content: from.content,
    createdAt: from.at,
    mode,
    extra: { event: { subkind: from.subkind, source: from.source, data: from.data ?? {} } },
  };
}

/** Stages a hidden event message. */
export function emitEvent(state: TurnState, from: EventSource): void {
  emit(state, { event: "message", data: { message: eventMessage(state, from) } });
}

/** Calls of the last assistant message that have no result yet, in call order. */
export function openCalls(
  history: readonly Message[],
): { message: AssistantMessage; ordinals: number[] } | undefined {
  const at = history.findLastIndex(
    (message) => message.role === "assistant" && (message.toolCalls?.length ?? 0) > 0,
  );
  const message = history[at];
  if (message?.role !== "assistant") return undefined;
  const answered = new Set(
    history
      .slice(at + 1)
      .filter((later): later is ToolMessage => later.role === "tool")
      .map((later) => later.toolCallId),
  );
  const ordinals = (message.toolCalls ?? [])
    .map((_, ordinal) => ordinal)
    .filter((ordinal) => !answered.has(message.toolCalls?.[ordinal]?.id ?? ""));
  return ordinals.length > 0 ? { message, ordinals } : undefined;
}

/** Turn and round in which an assistant message was sampled; undefined for messages from elsewhere. */
export function originOfMessage(messageId: string): { turnId: string; round: number } | undefined {
  const match = /^([A-Za-z0-9_-]{1,100})\.(\d+)\./.exec(messageId);
  return match?.[1] === undefined ? undefined : { turnId: match[1], round: Number(match[2]) };
}
