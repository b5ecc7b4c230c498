// The shapes of a session as the phone and the tests fold it: the stored part and the live part.
import * as z from "zod/mini";
import { ErrorInfo } from "../errors.ts";
import {
  DoneReason,
  type DurableEvent,
  durableData,
  ModelRef,
  type ModelWait,
  ToolProtocol,
} from "../event.ts";
import { isHookRun } from "../hooks.ts";
import { ToolCall } from "../message.ts";
import { Mode } from "../mode.ts";
import { Plan } from "../plan/plan-file.ts";
import { nothingSpent, Spent } from "./spending.ts";

/** One durable event of the session, in order; the transcript is made of these. */
export type Entry = Exclude<DurableEvent, { event: "plan" }> & { turnId: string };

export const TurnState = z.object({
  id: z.string(),
  status: z.enum(["running", "done", "failed"]),
  reason: z.optional(DoneReason),
  error: z.optional(ErrorInfo),
  /** Id of the last durable event folded in: what `after` says when the stream is taken up again. */
  lastEventId: z.number(),
  /** The `seen` that came beside that event; missing if none came, or events were made here. */
  seen: z.optional(z.string()),
});
export type TurnState = z.infer<typeof TurnState>;

export const FileCount = z.object({ added: z.number(), removed: z.number() });
export type FileCount = z.infer<typeof FileCount>;

/** Places of entries: what a request needs from before the last marker, and that marker's (0 = there is none). */
export const PostedPlaces = z.object({
  from: z.number(),
  firstUser: z.nullable(z.number()),
  plan: z.array(z.number()),
});
export type PostedPlaces = z.infer<typeof PostedPlaces>;

/** An answer that was cut off while it was written. `after`: the turn's last event before; `again`: another one was asked for. */
export const CutAnswer = z.object({ turnId: z.string(), after: z.number(), again: z.boolean() });
export type CutAnswer = z.infer<typeof CutAnswer>;

/** What lasts of a session besides its entries: small, except for the plan. */
export const SessionHead = z.object({
  /** The mode of the next request: what pill and badge show. */
  mode: Mode,
  plan: z.nullable(Plan),
  turn: z.nullable(TurnState),
  model: z.nullable(ModelRef),
  toolProtocol: z.nullable(ToolProtocol),
  /** The project has hooks: turns are posted so that those which the person has allowed run. */
  hooks: z.optional(z.boolean()),
  /** Calls that have no result yet. */
  openCalls: z.array(ToolCall),
  asked: z.nullable(durableData.questions),
  /** The first of the calls that wait for the person's word, as the events asked. */
  permission: z.nullable(durableData.permission),
  /** The further ones of the same answer, in call order. */
  alsoAsked: z._default(z.array(durableData.permission), []),
  proposal: z.nullable(durableData.proposal),
  /** Lines added and removed since the session began or its newest commit, by path: measured after a turn, counted within. */
  changes: z.catchall(z.object({}), FileCount),
  /** The newest commit that was made here, and the files as they were then. */
  committed: z._default(
    z.nullable(
      z.object({
        ...{ hash: z.string(), branch: z.string(), snapshot: z.string() },
        /** The person made it from here, after this turn ("" = before the first). */
        turnId: z.optional(z.string()),
      }),
    ),
    null,
  ),
  /** How many commands ran to an end, whatever they returned. Sessions kept before this was counted have none. */
  commandCount: z._default(z.number(), 0),
  /** Tokens and money of all answers. Sessions kept before this was counted have none. */
  spent: z._default(Spent, nothingSpent),
  /** How many user and assistant messages were said. */
  saidCount: z.number(),
  /** How many entries the session has in all, loaded or not. */
  entryCount: z.number(),
  /** null for sessions kept before this was noted. */
  posted: z._default(z.nullable(PostedPlaces), null),
  /** Answers that this client saw begin and never heard whole. */
  cuts: z._default(z.array(CutAnswer), []),
});
export type SessionHead = z.infer<typeof SessionHead>;

/** A message under way, by its id; gone unless a `message` event completes it. */
export interface PartialMessage {
  messageId: string;
  text: string;
  reasoning: string;
}

/** Live output of one call: the newest part of it. `next` is the byte offset expected next per stream. */
export interface LiveOutput {
  text: string;
  cut: boolean;
  next: { stdout: number; stderr: number };
}

/**
 * When a call began, milliseconds on the sandbox's clock; with the check that it runs now, and whether that ran out of
 * time.
 */
export interface StartedCall {
  at: number;
  outOfTime?: boolean;
  check?: { command: string; limitMs?: number | undefined } | undefined;
}

export interface LiveState {
  partial: PartialMessage | null;
  calls: readonly { toolCallId: string; name: string; arguments: string }[];
  output: Readonly<Record<string, LiveOutput>>;
  /** Running calls, by id: an open call that is missing here is queued. */
  started: Readonly<Record<string, StartedCall>>;
  /** Since when the model is waited for, until its answer is whole. */
  wait: ModelWait | null;
  context: { tokens: number; budget: number; trimmed: number } | null;
  usage: { inputTokens: number; outputTokens: number; cachedTokens: number };
  /** Malformed calls of this visit by `provider/model`. The caller adds them to its lasting counts. */
  malformed: Readonly<Record<string, { repaired: number; returned: number }>>;
  interrupted: ErrorInfo | null;
}

/** `entries` may be the session's tail: its first one has the index `head.entryCount - entries.length`. */
export interface SessionState {
  head: SessionHead;
  entries: readonly Entry[];
  live: LiveState;
}

export const noLive: LiveState = {
  partial: null,
  calls: [],
  output: {},
  started: {},
  wait: null,
  context: null,
  usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
  malformed: {},
  interrupted: null,
};

export function emptySession(mode: Mode = "normal"): SessionState {
  return {
    head: {
      mode,
      plan: null,
      turn: null,
      model: null,
      toolProtocol: null,
      openCalls: [],
      asked: null,
      permission: null,
      alsoAsked: [],
      proposal: null,
      changes: {},
      committed: null,
      commandCount: 0,
      spent: nothingSpent,
      saidCount: 0,
      entryCount: 0,
      posted: { from: 0, firstUser: null, plan: [] },
      cuts: [],
    },
    entries: [],
    live: noLive,
  };
}

/** The state with another mode for the next request. */
export function withMode(state: SessionState, mode: Mode): SessionState {
  return state.head.mode === mode ? state : { ...state, head: { ...state.head, mode } };
}

/**
 * What a lost connection leaves: partial text comes again or not at all, output continues at its offset. A hook that ends
 * meanwhile leaves no message; one that still runs is told of again.
 */
export function dropLive(state: SessionState): SessionState {
  const { context, output } = state.live;
  const started = Object.fromEntries(Object.entries(state.live.started).filter(([id]) => !isHookRun(id)));
  return { ...state, live: { ...noLive, context, output, started } };
}
