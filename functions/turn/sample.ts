// One sampling of the model: streams its text to the client and returns it as one assistant message. Commits nothing.
import { HandrailError } from "../../shared/errors.ts";
import type { EphemeralEvent } from "../../shared/event.ts";
import type { AssistantMessage } from "../../shared/message.ts";
import { type CompletionDeps, type CompletionRequest, streamCompletion } from "../model/complete.ts";
import { fallbackNotice } from "../model/fallback.ts";
import type { Fallback, ModelEvent } from "../model/model-event.ts";
import { rememberRefusal } from "../model/tool-support.ts";
import { toolNames } from "../tools/tool-index.ts";
import { AnswerDraft } from "./answer-draft.ts";
import { answerRedaction } from "./answer-redaction.ts";
import { takeRetry } from "./budget.ts";
import { modelRef } from "./env.ts";
import type { PromptAttempt } from "./prompt-attempt.ts";
import type { Turn } from "./turn.ts";

/**
 * Streams one answer: text and waits go to `env.say`, everything else is yielded. A stop returns what had come, with the finish
 * `aborted`; undefined = the turn is detached. Throws HandrailError where the model fails; what was streamed is then void.
 */
export async function* sample(
  turn: Turn,
  attempt: PromptAttempt,
): AsyncGenerator<EphemeralEvent, AssistantMessage | undefined> {
  const { redactors, signals } = turn.env;
  const answer = new AnswerDraft(turn, attempt);
  const redacted = answerRedaction(redactors.all, redactors.own);
  const full = new AbortController();
  const { deps, request } = completion(turn, { messages: attempt.prompt, tools: attempt.tools }, full.signal);
  const say: CompletionRequest["say"] = (piece) => {
    for (const part of redacted(piece)) {
      if (answer.isFull) return full.abort();
      if ("delta" in part) answer.say(part);
    }
  };
  const waits: CompletionRequest["waits"] = (data) => turn.env.say({ event: "model.wait", data });
  const knownTools = [...toolNames, ...(turn.env.foreign?.names ?? [])];
  for await (const event of streamCompletion(deps, { ...request, knownTools, say, waits })) {
    for (const part of redacted(event)) {
      if (answer.isFull) return answer.message("length");
      if (part.type === "end") return answer.complete(part);
      yield* heard(turn, answer, part);
    }
  }
  if (full.signal.aborted) return answer.message("length");
  if (signals.stop.aborted) return answer.message("aborted");
  if (signals.detach.aborted) return undefined;
  throw new HandrailError("model_error", "The model's answer ended before it was complete. Try again.", {
    retryable: true,
  });
}

/** Takes one event of the model into the answer. */
function* heard(
  turn: Turn,
  answer: AnswerDraft,
  event: Exclude<ModelEvent, { type: "end" }>,
): Generator<EphemeralEvent> {
  switch (event.type) {
    case "text":
    case "reasoning":
      answer.say(event);
      break;
    case "call": {
      const { id: toolCallId, name, arguments: json } = answer.add(event.call);
      yield { event: "tool.call", data: { toolCallId, name, arguments: json } };
      break;
    }
    case "usage": {
      const { type: _, ...usage } = event;
      answer.counted = usage;
      yield { event: "usage", data: usage };
      break;
    }
    case "diagnostic": {
      const { provider, id: model } = modelRef(turn.env);
      const { kind, repaired } = event;
      yield { event: "diagnostic", data: { provider, model, kind, repaired } };
      break;
    }
    case "refused":
      fallBack(turn, event.part);
      break;
    case "retry":
      answer.restart();
  }
}

/** Records in the history what the provider refuses, so that replays and later turns leave it out as well. */
function fallBack(turn: Turn, part: Fallback): void {
  const { deps, provider, model, request } = turn.env;
  const { round, mode } = turn.state;
  const id = `${request.turnId}.${round}.without-${part}`;
  const message = fallbackNotice(
    { provider: provider.id, model: model.id, part },
    { id, at: deps.now(), mode },
  );
  turn.emit({ event: "message", data: { message } });
  if (part === "tools")
    rememberRefusal(deps.memory.toolSupport, { provider, model, conversationId: request.sandboxId });
}

/** What `streamCompletion` is given for this turn. Aborting one of `ends` ends the completion too. */
export function completion(
  turn: Turn,
  prompt: Pick<CompletionRequest, "messages" | "tools">,
  ...ends: AbortSignal[]
): { deps: CompletionDeps; request: CompletionRequest } {
  const { deps, signals, provider, model, apiKey } = turn.env;
  const { toolProtocol, omit } = turn.state;
  return {
    deps: { ...deps, fetch: turn.fetch },
    request: {
      ...prompt,
      conversationId: turn.env.request.sandboxId,
      provider,
      modelId: model.id,
      ...(apiKey === undefined ? {} : { apiKey }),
      toolProtocol,
      omit,
      signal: AbortSignal.any([signals.stop, signals.detach, ...ends]),
      mayAskAgain: (waitMs) => takeRetry(turn, waitMs),
    },
  };
}
