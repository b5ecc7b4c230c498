// The decision about one call before anything runs: settled, to be run, or waiting for the person. And the parsing of
// its arguments, which are JSON text of a model: possibly empty, broken or nested very deeply.
import type { DurableDraft, TurnEvent } from "../../shared/event.ts";
import { isDeeperThan } from "../../shared/json-depth.ts";
import type { ToolCall } from "../../shared/message.ts";
import type { CallResult, OpName } from "../../shared/sandbox.ts";
import * as limits from "../limits.ts";
import type { ResultText } from "./result-text.ts";

/** One call of the model, before anything is known of its result. */
export interface PendingCall {
  call: ToolCall;
  /** TURN/ROUND/ORDINAL of the sampling that made it: the idempotency key in the sandbox. */
  key: string;
  /** Time of the assistant message that made it. */
  at: number;
  /** The person has allowed this call. */
  permitted: boolean;
  /** The result of a call that the person has not allowed. */
  denied?: string;
}

export interface SandboxCall {
  op: OpName;
  args: Record<string, unknown>;
}

/**
 * `key`: the call's own, or with a suffix such as `/snap` or `/cp`. `toolCallId`: the model's call that its start and
 * output are reported under.
 */
export type KeyedCall = SandboxCall & { key: string; toolCallId?: string };

/** The outcome of a call: its result for the model, the events that follow, and whether the turn continues. */
export interface Outcome extends ResultText {
  kind?: never;
  /** Time of the result, milliseconds; absent = that of the assistant message. */
  at?: number;
  /** Durable events that follow the tool message. */
  after?: DurableDraft[];
  /** No `[meta]` line (PROTOCOL 6: results of exit_plan and get_plan). */
  noMeta?: boolean;
  /** Set if later calls of the same answer must not run: the text of their results. */
  endsRound?: string;
  /** With `endsRound`: calls that only read still run, since they do not depend on this one. */
  readsContinue?: true;
  /** The turn ends after this round. */
  endsTurn?: "stop" | "proposed";
  /** A malformed call: counted against the model. */
  malformed?: boolean;
  /** It is journaled before anything else happens, so that a call that costs something is not repeated. */
  journaledAtOnce?: true;
}

/** The turn ends with this call open: a question or a permission. */
export interface Waits {
  kind: "waits";
  reason: "questions" | "permission";
  drafts: DurableDraft[];
}

export type PreparedCall =
  | { kind: "settled"; outcome: Outcome }
  | Waits
  | {
      kind: "runs";
      calls: KeyedCall[];
      /** No later call may share its request. */
      alone: boolean;
      /** Called once with the results of `calls`, in order. `later` may ask the sandbox for more. */
      finish:
        | { kind: "now"; outcome(results: CallResult[]): Outcome | Waits }
        | { kind: "later"; outcome(results: CallResult[]): AsyncGenerator<TurnEvent, Outcome | Waits> }
        /** A helper runs: functions/explore. */
        | { kind: "explore" };
    };

export function failed(text: string, malformed = false): PreparedCall {
  return { kind: "settled", outcome: { ok: false, text, ...(malformed ? { malformed } : {}) } };
}

export function settled(text: string, more: Partial<Outcome> = {}): PreparedCall {
  return { kind: "settled", outcome: { ok: true, text, ...more } };
}

/** A call that shares its request with no other, and asks the sandbox itself, once or more. */
export function runsLater(outcome: () => AsyncGenerator<TurnEvent, Outcome | Waits>): PreparedCall {
  return { kind: "runs", calls: [], alone: true, finish: { kind: "later", outcome } };
}

/** Parses a model's arguments; an empty text is an empty object. `unparsed` in wrong-arguments.ts explains invalid ones. */
export function parseArguments(json: string): { ok: true; value: unknown } | { ok: false } {
  if (json.trim() === "") return { ok: true, value: {} };
  try {
    const value: unknown = JSON.parse(json);
    return isDeeperThan(value, limits.jsonDepth) ? { ok: false } : { ok: true, value };
  } catch {
    return { ok: false };
  }
}
