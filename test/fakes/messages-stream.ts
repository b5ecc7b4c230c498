// A scripted reply as a stream of Anthropic's Messages API, or as one body.
// https://docs.anthropic.com/en/docs/build-with-claude/streaming (read 2026-11)
import { type ModelReply, pieces, type ScriptedCall } from "./model-reply.ts";
import { sealOf } from "./seal.ts";

type Block = Record<string, unknown> & { type: string };

/**
 * The `sequence` of a reply, or its reasoning, text and calls in this order. Thinking is signed for its
 * position and its model.
 */
function blocksOf(reply: ModelReply, id: string, model: string): Block[] {
  const { reasoning, text, calls = [] } = reply;
  const usual = [
    ...(reasoning ? [{ reasoning }] : []),
    ...(text ? [{ text }] : []),
    ...calls.map((call) => ({ call })),
  ];
  let count = 0;
  return (reply.sequence ?? usual).map((part, index): Block => {
    if ("text" in part) return { type: "text", text: part.text };
    if ("call" in part)
      return {
        type: "tool_use",
        id: callId(part.call, id, count++),
        name: part.call.name,
        input: inputOf(part.call),
      };
    if (part.reasoning === "") return { type: "redacted_thinking", data: sealOf(model, `${index}`) };
    return {
      type: "thinking",
      thinking: part.reasoning,
      signature: sealOf(model, `${index}${part.reasoning}`),
    };
  });
}

export function messagesEvents(reply: ModelReply, id: string, model: string): Block[] {
  if (reply.chunks !== undefined) return reply.chunks as Block[];
  const events: Block[] = [];
  const usage = usageOf(reply);
  const { output_tokens: _, ...input } = usage ?? {};
  const message = {
    id,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
  events.push({
    type: "message_start",
    message: { ...message, ...(usage ? { usage: { ...input, output_tokens: 1 } } : {}) },
  });
  for (const [index, block] of blocksOf(reply, id, model).entries()) {
    const { started, deltas } = inPieces(block, reply.deltaChars ?? 7, reply);
    events.push({ type: "content_block_start", index, content_block: started }, { type: "ping" });
    for (const delta of deltas) events.push({ type: "content_block_delta", index, delta });
    events.push({ type: "content_block_stop", index });
  }
  const stop = stopOf(reply);
  if (stop !== null) {
    const delta = { stop_reason: stop, stop_sequence: null };
    events.push({
      type: "message_delta",
      delta,
      ...(usage ? { usage: { output_tokens: usage.output_tokens } } : {}),
    });
    events.push({ type: "message_stop" });
  }
  return events;
}

/** The answer of a gateway that does not stream. */
export function messagesWhole(reply: ModelReply, id: string, model: string): unknown {
  return {
    ...{ id, type: "message", role: "assistant", model, content: blocksOf(reply, id, model) },
    stop_reason: stopOf(reply),
    usage: usageOf(reply),
  };
}

function inPieces(
  block: Block,
  chars: number,
  { quirks }: ModelReply,
): { started: Block; deltas: unknown[] } {
  if (block.type === "text")
    return {
      started: { ...block, text: "" },
      deltas: pieces(String(block.text), chars).map((text) => ({ type: "text_delta", text })),
    };
  if (block.type === "tool_use") {
    if (quirks?.objectArguments) return { started: block, deltas: [] };
    const { input } = block;
    const text = typeof input === "string" ? input : JSON.stringify(input);
    const args = text === "{}" ? [] : pieces(text, chars);
    return {
      started: { ...block, input: {} },
      deltas: ["", ...args].map((partial_json) => ({ type: "input_json_delta", partial_json })),
    };
  }
  if (block.type !== "thinking") return { started: block, deltas: [] };
  const shown = quirks?.hiddenThinking ? [] : pieces(String(block.thinking), chars);
  const deltas = shown.map((thinking) => ({ type: "thinking_delta", thinking }));
  return {
    started: { type: "thinking", thinking: "", signature: "" },
    deltas: [...deltas, { type: "signature_delta", signature: block.signature }],
  };
}

function usageOf({ usage }: ModelReply): { input_tokens: number; output_tokens: number } | null {
  if (usage === null) return null;
  const { prompt_tokens: input_tokens = 100, completion_tokens: output_tokens = 20, ...more } = usage ?? {};
  return { input_tokens, output_tokens, ...more };
}

function stopOf({ finish, calls, sequence }: ModelReply): string | null {
  if (finish !== undefined) return finish;
  return calls?.length || sequence?.some((part) => "call" in part) ? "tool_use" : "end_turn";
}

function callId({ id }: ScriptedCall, replyId: string, index: number): string {
  return id ?? `toolu_${replyId}_${index}`;
}

function inputOf({ args = {} }: ScriptedCall): unknown {
  return args;
}
