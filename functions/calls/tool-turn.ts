// What a tool call sees of the turn that makes it, and what it may do there. The engine's `Turn` implements
// it.
import type { DurableDraft, DurableEvent, ToolProtocol, TurnEvent } from "../../shared/event.ts";
import type { Grant } from "../../shared/grant.ts";
import type { EventMessage, Message } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import type { Network } from "../../shared/network.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { Decision } from "../../shared/plan/question.ts";
import type { CallResult } from "../../shared/sandbox.ts";
import type { RunMode, TurnRequest } from "../../shared/turn.ts";
import type { Carried } from "../context/carried.ts";
import type { ToolDefinition } from "../model/prompt.ts";
import type { ModelSettings } from "../model/provider.ts";
import type { KeyedCall, PendingCall, PreparedCall, Waits } from "./prepared.ts";

/** Fixed for as long as the turn runs here. */
export interface ToolEnv {
  readonly request: TurnRequest;
  readonly model: ModelSettings;
  /** What the turn still needs from the messages that a marker replaced. */
  readonly carried: Carried;
  /** What the person allowed in this sandbox, as its journal says. */
  readonly grants: readonly Grant[];
  /** What the questions that this turn answers were about; absent = unknown. */
  readonly asked?: readonly Grant[] | undefined;
  /** The network of commands; set only if there is a jail. */
  readonly network?: Network | undefined;
  /**
   * Handrail 0.2.0 began the turn, so it continues as that version did. There the model itself activates steps and reports
   * those that are only a check, `enter_plan` does not ask the person, permissions are asked one call at a time, calls of
   * the engine do not wait for earlier ones of the answer, and an answer with calls that cannot be read ends the turn.
   */
  readonly isOlder: boolean;
  /** true = a check that fails is run again on the files as the plan's first step found them. */
  readonly baseline: boolean;
  /** Absent = the turn was posted with none. */
  readonly foreign?: ForeignTools | undefined;
  /** Absent = the project has none, or the person did not allow them. */
  readonly hooks?: HooksOfTurn | undefined;
}

/** Decisions whose ledger has not been shown, with the plan as it was before they were made. */
export interface OpenLedger {
  decisions: Decision[];
  before: Plan | null;
}

/** Changes only together with durable events, so every run of the turn sees the same. */
export interface ToolState {
  readonly history: Message[];
  /** Counts the model's answers; missing in tests of single tools. */
  readonly round?: number;
  readonly toolProtocol: ToolProtocol;
  mode: Mode;
  plan: Plan | null;
  ledger: OpenLedger | null;
  /** `run:true` of the answers: execute in this mode as soon as the plan is patched. */
  run: RunMode | null;
}

export interface ToolTurn {
  readonly env: ToolEnv;
  readonly state: ToolState;
  /** Stages a durable event and applies it to the state. */
  emit(draft: DurableDraft): DurableEvent;
  /** Emits a hidden event message. */
  note(from: EventDraft): void;
  /** Whether the call with this key ran in the sandbox, completely or in part. */
  began(key: string): boolean;
  /** Journals what is staged and runs `calls`, in one request to the sandbox. Returns their results in order. */
  runCalls(calls: readonly KeyedCall[], options?: BatchOptions): AsyncGenerator<TurnEvent, CallResult[]>;
}

/** What the sandbox is told about a batch of calls, besides the calls. */
export interface BatchOptions {
  /** Default: what the mode allows. */
  access?: "readonly" | "write";
  /** Called after each result; may stage and send what follows from the results so far. */
  onResult?(): Generator<TurnEvent>;
}

/** What a hidden event message is made of. `at`: milliseconds, taken from what caused it, so that a replay is identical. */
export interface EventDraft {
  id: string;
  at: number;
  subkind: string;
  source: string;
  content: string;
  data?: Record<string, unknown>;
}

export function eventMessage({ mode }: { mode: Mode }, from: EventDraft): EventMessage {
  return {
    id: from.id,
    role: "event",
    content: from.content,
    createdAt: from.at,
    mode,
    extra: { event: { subkind: from.subkind, source: from.source, data: from.data ?? {} } },
  };
}

/**
 * Tools that are posted with a turn, such as those of MCP servers. They are in no table, and their texts are
 * untrusted.
 */
export interface ForeignTools {
  /** The names that the model may call them by. */
  readonly names: readonly string[];
  /** What a request shows. Pure. */
  definitions(mode: Mode): ToolDefinition[];
  /** The permission that a call needs. Pure. */
  asks(turn: ToolTurn, pending: PendingCall): Waits | undefined;
  prepare(turn: ToolTurn, pending: PendingCall): PreparedCall;
}

/** The project's commands that run before and after changes, steps and the turn itself. */
export interface HooksOfTurn {
  /** A change of files together with the hooks that run before and after it. `args` are the model's arguments. */
  around(
    turn: ToolTurn,
    pending: PendingCall,
    args: unknown,
    change: Extract<PreparedCall, { kind: "runs" }>,
  ): PreparedCall;
  begins(turn: ToolTurn): AsyncGenerator<TurnEvent>;
  /** Runs the hooks of steps that began or were completed since the last call; true if one failed. */
  steps(turn: ToolTurn): AsyncGenerator<TurnEvent, boolean>;
  /** Runs the hooks at the end of the turn; true = one failed, and the model should respond to it. */
  ends(turn: ToolTurn): AsyncGenerator<TurnEvent, boolean>;
}
