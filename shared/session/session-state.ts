// The shapes of a session that the reducer works on: the stored part and the live part.
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

/** One durable event of the session, in order. The transcript is built from these. */
export type Entry = Exclude<DurableEvent, { event: "plan" }> & { turnId: string };

export const TurnState = z.object({
  id: z.string(),
  status: z.literal(["running", "done", "failed"]),
  reason: z.optional(DoneReason),
  error: z.optional(ErrorInfo),
  /** Id of the last durable event that was applied; a client sends it as `after` when it resumes the stream. */
  lastEventId: z.number(),
  /** The `seen` that came with that event; missing if none came, or if the events were created on this device. */
  seen: z.optional(z.string()),
});
export type TurnState = z.infer<typeof TurnState>;

export const FileCount = z.object({ added: z.number(), removed: z.number() });
export type FileCount = z.infer<typeof FileCount>;

/**
 * Indices among the entries: of messages before the last marker that a request needs, and of the marker itself (0 =
 * there is none).
 */
export const PostedPlaces = z.object({
  from: z.number(),
  firstUser: z.nullable(z.number()),
  plan: z.array(z.number()),
});
export type PostedPlaces = z.infer<typeof PostedPlaces>;

/**
 * An answer that was cut off while it was being written. `after`: the turn's last event before it; `again`: the model
 * was asked again.
 */
export const CutAnswer = z.object({ turnId: z.string(), after: z.number(), again: z.boolean() });
export type CutAnswer = z.infer<typeof CutAnswer>;

const CommittedHead = z.object({
  hash: z.string(),
  branch: z.string(),
  snapshot: z.string(),
  /** HEAD was only moved to this commit, by a switch of the branch or a pull. */
  moved: z.optional(z.boolean()),
  /** The sandbox could not read it: changes count from when it noticed the commit. */
  unread: z.optional(z.boolean()),
});

/** The stored state of a session besides its entries. It is small, except for the plan. */
export const SessionHead = z.object({
  /** The mode of the next request, as the mode pill and the badge show it. */
  mode: Mode,
  plan: z.nullable(Plan),
  turn: z.nullable(TurnState),
  model: z.nullable(ModelRef),
  toolProtocol: z.nullable(ToolProtocol),
  /** The project has hooks, so turns are posted with the request to run those that the person has allowed. */
  hooks: z.optional(z.boolean()),
  /** Calls that have no result yet. */
  openCalls: z.array(ToolCall),
  asked: z.nullable(durableData.questions),
  /** The first call that waits for the person's decision, as its event described it. */
  permission: z.nullable(durableData.permission),
  /** The other waiting calls of the same answer, in call order. */
  alsoAsked: z._default(z.array(durableData.permission), []),
  proposal: z.nullable(durableData.proposal),
  /**
   * Lines added and removed, by path, since the session began or since its newest commit. They are measured after each
   * turn and counted during a turn.
   */
  changes: z.catchall(z.object({}), FileCount),
  /** Where the changes count from once they were committed, or HEAD was moved; null = from the session's beginning. */
  committed: z._default(z.nullable(CommittedHead), null),
  /** How many commands ran to their end, with any exit code. Sessions stored before this was counted have none. */
  commandCount: z._default(z.number(), 0),
  /** Tokens and money of all answers. Sessions stored before this was counted have none. */
  spent: z._default(Spent, nothingSpent),
  /** The number of user and assistant messages. */
  saidCount: z.number(),
  /** The total number of entries, whether loaded or not. */
  entryCount: z.number(),
  /** null for sessions stored before this existed. */
  posted: z._default(z.nullable(PostedPlaces), null),
  /** Answers whose beginning this client saw, but which it never received in full. */
  cuts: z._default(z.array(CutAnswer), []),
});
export type SessionHead = z.infer<typeof SessionHead>;

/** A message that is being written. It is dropped unless a `message` event with its id completes it. */
export interface PartialMessage {
  messageId: string;
  text: string;
  reasoning: string;
  /** Nothing follows: the model has been asked again since. */
  whole: boolean;
}

/** The newest part of a call's live output. `next`: the byte offset that comes next in each stream. */
export interface LiveOutput {
  text: string;
  cut: boolean;
  next: { stdout: number; stderr: number };
}

/**
 * When a call began, in milliseconds on the sandbox's clock; also the check that it is running, and whether that check
 * timed out.
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
  /** Running calls by id; an open call that is not listed is queued. */
  started: Readonly<Record<string, StartedCall>>;
  /** Since when the client has been waiting for the model; null once its answer is complete. */
  wait: ModelWait | null;
  context: { tokens: number; budget: number; trimmed: number } | null;
  usage: { inputTokens: number; outputTokens: number; cachedTokens: number };
  /** Malformed calls since this session was opened, by `provider/model`. The caller adds them to its stored counts. */
  malformed: Readonly<Record<string, { repaired: number; returned: number }>>;
  interrupted: ErrorInfo | null;
}

/** `entries` may be only the end of the session: the first one has the index `head.entryCount - entries.length`. */
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
 * The live state that is kept when the connection is lost. Partial text is sent again or not at all, and output
 * continues at its offset. Running hooks are dropped, because a hook that ends meanwhile leaves no message, and one
 * that is still running is announced again.
 */
export function dropLive(state: SessionState): SessionState {
  const { context, output } = state.live;
  const started = Object.fromEntries(Object.entries(state.live.started).filter(([id]) => !isHookRun(id)));
  return { ...state, live: { ...noLive, context, output, started } };
}
