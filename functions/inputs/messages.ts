// Messages that the engine makes of what it is given: no clock, no ids of its own.
import type { DurableDraft } from "../../shared/event.ts";
import type { Message, ResultMeta, ToolCall, ToolMessage, UserMessage } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import type { RunMode } from "../../shared/turn.ts";
import { limits } from "../limits.ts";
import { clip } from "../tools/clip.ts";
import { findTool } from "../tools/tool-index.ts";

export function asMessage(message: Message): DurableDraft {
  return { event: "message", data: { message } };
}

/** A history with a longer result would be refused: what a person or a plan says at length is cut, and says so. */
export function sized(text: string): string {
  return clip(text, limits.maxToolContentBytes);
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

/** A draft whose tool message has its numbers. `run`: what the answers that it holds ask for: the sandbox keeps it for the turns that go on with them. */
export function withMeta(draft: DurableDraft, meta: ResultMeta, run?: RunMode): DurableDraft {
  if (draft.event !== "message" || draft.data.message.role !== "tool") return draft;
  const { message } = draft.data;
  if (message.meta || findTool(message.name)?.noMeta) return draft;
  return asMessage({ ...message, meta: run && message.ok ? { ...meta, facts: { run } } : meta });
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
