// What an input does to a turn before the model is asked (`InputEffect`), and the messages that the engine makes. Pure: times and
// ids are given.
import type { DurableDraft } from "../../shared/event.ts";
import type { Permit } from "../../shared/grant.ts";
import type { Message, ResultMeta, ToolCall, ToolMessage, UserMessage } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { RunMode } from "../../shared/turn.ts";
import type { Resumption } from "../calls/open-calls.ts";
import { sized } from "../calls/result-text.ts";
import type { OpenLedger } from "../calls/tool-turn.ts";
import type { Rewinding } from "../plan/restore.ts";
import { findTool } from "../tools/tool-index.ts";

/** What to do once the opening is journaled and before the model is asked. */
export type Prelude =
  | { kind: "none" }
  | { kind: "ends" }
  | { kind: "close"; as: "done" | "abandoned" }
  | { kind: "rewind"; snapshot: string; rewind: Rewinding }
  | { kind: "resume"; resumes: Resumption };

/** The effect of an input: what it adds to the history, and what it does to plan and mode. */
export interface InputEffect {
  /** Mode of the turn; absent = that of the request. */
  mode?: Mode;
  /** Plan file after the input; absent = unchanged. */
  plan?: Plan;
  reason?: string;
  approved?: boolean;
  /** Messages of the input itself. */
  messages: Message[];
  /** Events after those messages. */
  after?: DurableDraft[];
  /** Ordinals of the open calls that this input answers, or leaves open on purpose. */
  keeps?: readonly number[];
  resolves?: string;
  /** The call that a permit is about, to be found in the sandbox's journal. */
  permits?: Permit;
  alsoPermits?: Permit[];
  prelude?: Prelude;
  ledger?: OpenLedger;
  run?: RunMode;
}

export function asMessage(message: Message): DurableDraft {
  return { event: "message", data: { message } };
}

/** A result that the engine gives without running anything. */
export function resultMessage(
  call: ToolCall,
  result: { ok: boolean; content: string; at: number; mode: Mode },
): ToolMessage {
  return {
    id: `${call.id}.result`.slice(0, 300),
    role: "tool",
    content: sized(result.content),
    createdAt: result.at,
    mode: result.mode,
    toolCallId: call.id,
    name: call.name,
    ok: result.ok,
  };
}

/** The run that answers ask for, and the plan to which they belong. The sandbox keeps `run` for later turns. */
export interface AskedRun {
  run: RunMode;
  planHash: string | undefined;
}

/** Adds `[meta]` numbers to the draft of a tool message, and the run asked for to that of answers. */
export function draftWithMeta(draft: DurableDraft, meta: ResultMeta, asked?: AskedRun): DurableDraft {
  if (draft.event !== "message" || draft.data.message.role !== "tool") return draft;
  const { message } = draft.data;
  if (message.meta || findTool(message.name)?.noMeta) return draft;
  return asMessage({ ...message, meta: asked && message.ok ? { ...meta, facts: factsOf(asked) } : meta });
}

function factsOf({ run, planHash }: AskedRun): Record<string, unknown> {
  return { run, ...(planHash === undefined ? {} : { planHash }) };
}

export function userMessage(
  turnId: string,
  content: string,
  at: number,
  mode: Mode,
  attachments?: UserMessage["attachments"],
): UserMessage {
  return {
    id: `${turnId}.user`,
    role: "user",
    content,
    createdAt: at,
    mode,
    ...(attachments?.length ? { attachments } : {}),
  };
}
