// The events of a turn (PROTOCOL 3.1), durable and ephemeral, in their form on the wire and in the journal.
import * as z from "zod/mini";
import { ErrorInfo } from "./errors.ts";
import { ExactCommand } from "./grant.ts";
import { Message } from "./message.ts";
import { Mode } from "./mode.ts";
import { NoteBy, Plan, StepStatus } from "./plan/plan-file.ts";
import { AnswerProblem, Decision, Question } from "./plan/question.ts";

export const ToolProtocol = z.literal(["native", "text"]);
export type ToolProtocol = z.infer<typeof ToolProtocol>;

export const ModelRef = z.object({ provider: z.string(), id: z.string() });
export type ModelRef = z.infer<typeof ModelRef>;

export function isSameModel(a: ModelRef, b: ModelRef): boolean {
  return a.provider === b.provider && a.id === b.id;
}

export const Risk = z.literal([
  "destructive",
  "remote",
  "network",
  "outcome_unknown",
  "plan_change",
  "mcp",
  "hooks",
]);
export type Risk = z.infer<typeof Risk>;

export const DoneReason = z.literal(["stop", "proposed", "questions", "permission", "continue", "stopped"]);
export type DoneReason = z.infer<typeof DoneReason>;

/** The data of every durable event, by name. Durable events have ids within their turn: 1, 2, 3 … */
export const durableData = {
  "turn.started": z.object({
    turnId: z.string(),
    mode: Mode,
    model: ModelRef,
    toolProtocol: ToolProtocol,
    /** Version of the history format; always 1. */
    format: z.number(),
  }),
  mode: z.object({ from: Mode, to: Mode, reason: z.string() }),
  message: z.object({ message: Message }),
  plan: z.object({ plan: Plan }),
  step: z.object({
    stepId: z.string(),
    status: StepStatus,
    note: z.optional(z.string()),
    noteBy: z.optional(NoteBy),
    snapshot: z.optional(z.string()),
  }),
  questions: z.object({
    toolCallId: z.string(),
    round: z.number(),
    summary: z.optional(z.string()),
    questions: z.array(Question),
    details: z.optional(z.array(AnswerProblem)),
  }),
  ledger: z.object({ decisions: z.array(Decision), updates: z.array(z.string()), text: z.string() }),
  proposal: z.object({ planVersion: z.number(), planHash: z.string() }),
  permission: z.object({
    toolCallId: z.string(),
    name: z.string(),
    arguments: z.string(),
    risk: Risk,
    why: z.string(),
    /** With `risk`: what a permission for the session would cover. Missing if a permission is not remembered. */
    program: z.optional(z.string()),
    subcommand: z.optional(z.string()),
    /** Present if such a permission would cover only this command line in this folder. */
    only: z.optional(ExactCommand),
    output: z.optional(z.string()),
    /** If the call itself does not name its commands: every command that runs once the call is allowed, verbatim. */
    commands: z.optional(z.array(z.string())),
    /** For `plan_change`: how the plan would differ from the approved one, in words and as a diff of its text. */
    change: z.optional(z.object({ updates: z.array(z.string()), diff: z.string() })),
  }),
  "turn.done": z.object({
    reason: DoneReason,
    rounds: z.number(),
    /** Present if the turn ends with open steps in the active plan: how many of its steps are done or skipped. */
    steps: z.optional(z.object({ over: z.number(), total: z.number() })),
  }),
  "turn.failed": z.object({ error: ErrorInfo }),
} as const;

/** The data of every ephemeral event, by name. They carry no id and are never replayed. */
export const ephemeralData = {
  "text.delta": z.object({ messageId: z.string(), delta: z.string() }),
  "reasoning.delta": z.object({ messageId: z.string(), delta: z.string() }),
  "tool.call": z.object({ toolCallId: z.string(), name: z.string(), arguments: z.string() }),
  "tool.output": z.object({
    toolCallId: z.string(),
    stream: z.literal(["stdout", "stderr"]),
    /** Byte offset of `text` within its stream. */
    offset: z.number(),
    text: z.string(),
  }),
  /**
   * A call begins in the sandbox at `at` (milliseconds on the sandbox's clock); before that it was queued. With
   * `check`, the call's checkpoint begins, which may take `limitMs`.
   */
  "tool.started": z.object({
    toolCallId: z.string(),
    at: z.number(),
    check: z.optional(z.object({ command: z.string(), limitMs: z.optional(z.number()) })),
  }),
  /**
   * The call or hook announced by `tool.started` has ended. Sent only for hooks around a turn or a step and, with
   * `outOfTime`, for a check that was cut short. Other calls end with their message.
   */
  "tool.ended": z.object({ toolCallId: z.string(), outOfTime: z.optional(z.boolean()) }),
  /**
   * The model was asked at `at` (milliseconds on the edge's clock) and has not answered yet. With `until`, the request
   * failed and is repeated at that time: `limited` = the provider limits requests, `busy` = it is overloaded or
   * failing.
   */
  "model.wait": z.object({
    at: z.number(),
    until: z.optional(z.number()),
    why: z.optional(z.literal(["limited", "busy"])),
  }),
  context: z.object({ tokens: z.number(), budget: z.number(), trimmed: z.number() }),
  usage: z.object({
    inputTokens: z.number(),
    outputTokens: z.number(),
    cachedTokens: z.number(),
    writtenTokens: z.optional(z.number()),
  }),
  diagnostic: z.object({ provider: z.string(), model: z.string(), kind: z.string(), repaired: z.boolean() }),
  interrupted: z.object({ error: ErrorInfo }),
  /** Durable events `from` to `through` have been discarded; the next durable event has the id `through` + 1. */
  gap: z.object({ from: z.number(), through: z.number(), message: z.string() }),
} as const;

export type ModelWait = z.infer<(typeof ephemeralData)["model.wait"]>;

type DataOf<T extends Record<string, z.core.$ZodType>> = {
  [K in keyof T]: { event: K; data: z.infer<T[K]> };
}[keyof T];

/** A durable event that has no id yet. */
export type DurableDraft = DataOf<typeof durableData>;
/** `seen`: the running hash of the turn's durable events up to this one; it is sent alongside the event. */
export type DurableEvent = DurableDraft & { id: number; seen?: string };
export type EphemeralEvent = DataOf<typeof ephemeralData>;
export type TurnEvent = DurableEvent | EphemeralEvent;

export function isDurable(event: TurnEvent): event is DurableEvent {
  return "id" in event;
}

const durableId = z.number().check(z.int(), z.positive());

function isKey<T extends object>(table: T, name: string): name is Extract<keyof T, string> {
  return Object.hasOwn(table, name);
}

/**
 * Parses one received event. Returns undefined for a name unknown to this version, which clients ignore; throws a
 * ZodError if the data of a known event does not match its schema.
 */
export function parseTurnEvent(name: string, data: unknown, id?: number): TurnEvent | undefined {
  if (isKey(durableData, name)) {
    const parsed = z.parse(durableData[name] as z.ZodMiniType, data);
    return { id: z.parse(durableId, id), event: name, data: parsed } as DurableEvent;
  }
  if (isKey(ephemeralData, name)) {
    return { event: name, data: z.parse(ephemeralData[name] as z.ZodMiniType, data) } as EphemeralEvent;
  }
  return undefined;
}

/** A durable event as a journal record stores it. `data` is checked against its event's schema when it is read. */
export const JournalEvent = z.object({ id: durableId, event: z.string(), data: z.unknown() });
export type JournalEvent = z.infer<typeof JournalEvent>;
