// One sampling of the model: streamed deltas, and the assistant message that they come to. Commits nothing.

import { HandrailError } from "../../shared/errors.ts";
import type { EphemeralEvent } from "../../shared/event.ts";
import type { AssistantMessage, ToolCall } from "../../shared/message.ts";
import { isMarker } from "../../shared/session/history.ts";
import { limits } from "../limits.ts";
import { type CompletionRequest, streamCompletion } from "../model/complete.ts";
import { fallbackNotice } from "../model/fallback.ts";
import type { Fallback, ModelEvent, Piece } from "../model/model-event.ts";
import { rememberRefusal } from "../model/tool-support.ts";
import { toolNames } from "../tools/tool-index.ts";
import { accountOf } from "./accounting.ts";
import { answerRedaction } from "./answer-redaction.ts";
import type { Asked } from "./ask-model.ts";
import { mayAskAgain } from "./budget.ts";
import { emit, modelRef, type TurnState } from "./state.ts";

export interface Sampled {
  message: AssistantMessage;
  /** true = stopped by the person: `message` is what had come. */
  stopped: boolean;
}

/**
 * Streams one answer; its text is said, all else yielded. Returns undefined when the host must leave. Throws
 * HandrailError where the model fails; what was streamed before is then void.
 */
export async function* sample(
  state: TurnState,
  asked: Asked,
): AsyncGenerator<EphemeralEvent, Sampled | undefined> {
  const { deps, signals } = state;
  let counted: Parameters<typeof accountOf>[1];
  let messageId = newMessageId(state);
  let content = "";
  let reasoning = "";
  const calls: ToolCall[] = [];
  let used = idsInUse(state);
  const build = (finish: AssistantMessage["finish"], toolCalls: ToolCall[]): AssistantMessage => ({
    id: messageId,
    role: "assistant",
    content,
    createdAt: deps.now(),
    mode: state.mode,
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(reasoning === "" ? {} : { reasoning }),
    finish,
    ...accountOf(
      asked,
      counted,
      content + reasoning + toolCalls.map((call) => call.arguments).join(""),
      state.model.price,
    ),
  });

  const { all, own } = state.redactors;
  const redacted = answerRedaction(all, own);
  const full = new AbortController();
  const isFull = () => content.length + reasoning.length + argumentChars(calls) > limits.maxAnswerChars;
  const say = ({ type, delta }: Piece) => {
    if (type === "text") content += delta;
    else reasoning += delta;
    state.say({ event: `${type}.delta`, data: { messageId, delta } });
  };
  const answer = stream(
    state,
    {
      messages: asked.prompt,
      tools: asked.tools,
      knownTools: toolNames,
      say: (piece) => {
        for (const part of redacted(piece)) {
          if (isFull()) return full.abort();
          if ("delta" in part) say(part);
        }
      },
    },
    full.signal,
  );
  for await (const event of answer) {
    for (const part of redacted(event)) {
      if (isFull()) return { message: build("length", calls), stopped: false };
      switch (part.type) {
        case "text":
        case "reasoning":
          say(part);
          break;
        case "call": {
          const call = { ...part.call, id: uniqueId(state, used, part.call.id, calls.length) };
          calls.push(call);
          yield {
            event: "tool.call",
            data: { toolCallId: call.id, name: call.name, arguments: call.arguments },
          };
          break;
        }
        case "usage": {
          const { type: _, ...usage } = part;
          counted = usage;
          yield { event: "usage", data: usage };
          break;
        }
        case "diagnostic": {
          const { provider, id } = modelRef(state);
          yield {
            event: "diagnostic",
            data: { provider, model: id, kind: part.kind, repaired: part.repaired },
          };
          break;
        }
        case "refused":
          fallBack(state, part.part);
          break;
        case "retry":
          // What came before is void: a new sampling has a new message id.
          messageId = newMessageId(state);
          content = "";
          reasoning = "";
          calls.length = 0;
          used = idsInUse(state);
          break;
        case "end":
          ({ text: content, reasoning } = part);
          return { message: build(calls.length > 0 ? "tool_calls" : part.finish, calls), stopped: false };
      }
    }
  }
  if (full.signal.aborted) return { message: build("length", calls), stopped: false };
  if (signals.stop.aborted) return { message: build("aborted", []), stopped: true };
  if (signals.leave.aborted) return undefined;
  throw new HandrailError("model_error", "The model's answer ended before it was complete. Try again.", {
    retryable: true,
  });
}

/** One completion by the turn's model: its key, its form, its budget. Aborting one of `ends` ends it too. */
export function stream(
  state: TurnState,
  asked: Pick<CompletionRequest, "messages" | "tools" | "knownTools" | "maxRetries" | "say">,
  ...ends: AbortSignal[]
): AsyncGenerator<ModelEvent> {
  const { deps, signals, provider, model, apiKey, toolProtocol, omit } = state;
  const countingFetch: typeof fetch = (input, init) => {
    state.used.subrequests += 1;
    return deps.fetch(input, init);
  };
  return streamCompletion(
    { ...deps, fetch: countingFetch },
    {
      ...asked,
      provider,
      modelId: model.id,
      ...(apiKey === undefined ? {} : { apiKey }),
      toolProtocol,
      omit,
      signal: AbortSignal.any([signals.stop, signals.leave, ...ends]),
      mayAskAgain: (waitMs) => mayAskAgain(state, waitMs),
    },
  );
}

/** The history says what the provider was found not to take: replays, and the turns to come, go the same way. */
function fallBack(state: TurnState, part: Fallback): void {
  const { deps, provider, model, request, round, mode } = state;
  const id = `${request.turnId}.${round}.without-${part}`;
  const message = fallbackNotice(
    { provider: provider.id, model: model.id, part },
    { id, at: deps.now(), mode },
  );
  emit(state, { event: "message", data: { message } });
  if (part === "tools")
    rememberRefusal(deps.memory.toolSupport, { provider, model, conversationId: request.sandboxId });
}

function argumentChars(calls: readonly ToolCall[]): number {
  return calls.reduce((sum, call) => sum + call.arguments.length, 0);
}

/** TURN.ROUND.RANDOM: calls find the key they were made under in it. */
function newMessageId(state: TurnState): string {
  return `${state.request.turnId}.${state.round}.${state.deps.newId().slice(0, 8)}`;
}

/** Undefined where that is not known: behind a marker stand calls that were not posted. */
function idsInUse(state: TurnState): Set<string> | undefined {
  if (state.history.some(isMarker)) return undefined;
  const ids = new Set<string>();
  for (const message of state.history) {
    if (message.role === "assistant") for (const call of message.toolCalls ?? []) ids.add(call.id);
  }
  return ids;
}

/** The provider's id, or TURN.ROUND.ORDINAL where it is missing or may be taken. */
function uniqueId(state: TurnState, used: Set<string> | undefined, id: string, ordinal: number): string {
  const free = used !== undefined && id !== "" && id.length <= 200 && !used.has(id);
  const unique = free ? id : `${state.request.turnId}.${state.round}.${ordinal}`;
  used?.add(unique);
  return unique;
}
