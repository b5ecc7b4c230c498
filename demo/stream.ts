// A reply as the bytes of a streamed chat completion, word by word, like a model's.
import type { Reply } from "./conversation.ts";

export const modelId = "scripted-demo";

interface DemoChunk {
  data: string;
  /** Whether there is a pause before it, as with a real model. */
  paced: boolean;
}

/** `id`: that of the completion; the ids of calls are derived from it. */
export function streamChunks(made: Reply, id: string, createdS: number): DemoChunk[] {
  const chunk = (delta: unknown, finish: string | null = null, paced = true): DemoChunk => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    return {
      data: JSON.stringify({
        id,
        object: "chat.completion.chunk",
        created: createdS,
        model: modelId,
        choices,
      }),
      paced,
    };
  };
  const chunks = [chunk({ role: "assistant", content: "" }, null, false)];
  for (const word of words(made.text)) chunks.push(chunk({ content: word }));
  made.calls.forEach(({ name, args }, index) => {
    chunks.push(
      chunk(
        {
          tool_calls: [{ index, id: callId(id, index), type: "function", function: { name, arguments: "" } }],
        },
        null,
        false,
      ),
    );
    for (const piece of JSON.stringify(args).match(/[\s\S]{1,48}/g) ?? []) {
      chunks.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
  });
  chunks.push(chunk({}, made.calls.length > 0 ? "tool_calls" : "stop", false));
  return chunks;
}

/** The reply as one body, for clients that do not stream. */
export function wholeCompletion(made: Reply, id: string, createdS: number): unknown {
  const calls = made.calls.map(({ name, args }, index) => ({
    id: callId(id, index),
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  const message = {
    role: "assistant",
    content: made.text,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const choices = [{ index: 0, message, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }];
  return { id, object: "chat.completion", created: createdS, model: modelId, choices };
}

function callId(id: string, index: number): string {
  return `call_${id.slice(-12)}_${index}`;
}

function words(text: string): string[] {
  return text.match(/\s*\S+\s*$|\s*\S+/g) ?? [];
}
