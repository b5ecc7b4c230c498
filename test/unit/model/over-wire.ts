// A continued conversation with one model over one of the APIs. The server refuses what the real API refuses.
import type { CompletionRequest } from "../../../functions/model/complete.ts";
import { streamCompletion } from "../../../functions/model/complete.ts";
import type { ModelEvent } from "../../../functions/model/model-event.ts";
import type { PromptMessage } from "../../../functions/model/prompt.ts";
import type { Refused, WireName } from "../../../functions/model/provider.ts";
import type { ModelReply } from "../../fakes/model-reply.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server.ts";
import type { ResponsesRules } from "../../fakes/strict-responses.ts";
import { refusalOf } from "../../fakes/strict-wires.ts";
import { collect, endOf, patientDeps, providerAt, requestTo } from "./complete-with.ts";

export interface Talk {
  server: ModelServer;
  /** The refusals so far, in the provider's words. */
  refusals: string[];
  messages: PromptMessage[];
  omit: Set<Refused>;
  /** Runs one completion. Its answer and a result for each of its calls are added to the messages. */
  ask(overrides?: Partial<CompletionRequest>): Promise<ModelEvent[]>;
  /** The bodies of all requests. */
  bodies(): Record<string, unknown>[];
}

export interface Model {
  wire: WireName;
  id: string;
  settings?: object;
  rules?: ResponsesRules;
}

/** Plays `replies` in order, without counting refusals. Closed after `use`. */
export async function talkOver(
  { wire, id, settings, rules }: Model,
  replies: ModelReply[],
  use: (talk: Talk) => Promise<void>,
): Promise<void> {
  const refusals: string[] = [];
  let answers = 0;
  const server = await startModelServer((_, __, request) => {
    const refusal = refusalOf(request, rules);
    if (refusal) {
      refusals.push(refusal.words);
      return refusal;
    }
    answers += 1;
    return replies[Math.min(answers, replies.length) - 1] ?? {};
  });
  const provider = providerAt(server.url, { id, wire, ...settings });
  const talk: Talk = {
    ...{ server, refusals, omit: new Set() },
    messages: [
      { role: "system", content: "be good" },
      { role: "user", content: "hello" },
    ],
    async ask(overrides = {}) {
      const { messages, omit } = talk;
      const request = { provider, modelId: id, messages, omit, conversationId: "c1", ...overrides };
      const events = await collect(streamCompletion(patientDeps, requestTo(server.url, request)));
      const { text, reasoning, calls, thought } = endOf(events);
      talk.messages = [
        ...messages,
        {
          ...{ role: "assistant", content: text, toolCalls: calls },
          ...(thought ? { thought: { text: reasoning, ...thought } } : {}),
        },
        ...calls.map(
          ({ id: toolCallId, name }): PromptMessage => ({
            ...{ role: "tool", toolCallId, name, ok: true, content: `result of ${toolCallId}` },
          }),
        ),
      ];
      return events;
    },
    bodies: () => server.requests.map(({ body }) => body),
  };
  try {
    await use(talk);
  } finally {
    await server.close();
  }
}
