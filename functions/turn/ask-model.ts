// One answer of the model, streamed to the client and returned as one assistant message: a prompt attempt, and a
// smaller one if the provider refuses the first as too long. If summaries are configured, the model first summarizes
// what the request leaves out.
import { HandrailError } from "../../shared/errors.ts";
import type { EphemeralEvent, TurnEvent } from "../../shared/event.ts";
import type { AssistantMessage, Calibration, Usage } from "../../shared/message.ts";
import { lastSummary, maxSummaryChars, summaryRequest } from "../compaction/model-summary.ts";
import { budgetOf, calibrationIn, roomOf, tightened } from "../context/calibration.ts";
import { estimatePrompt } from "../context/estimate.ts";
import { summarySource } from "../context/event-retention.ts";
import * as limits from "../limits.ts";
import { type CompletionDeps, type CompletionRequest, streamCompletion } from "../model/complete.ts";
import { fallbackNotice } from "../model/fallback.ts";
import type { Fallback, ModelEvent } from "../model/model-event.ts";
import { rememberRefusal } from "../model/tool-support.ts";
import { toolNames } from "../tools/tool-index.ts";
import { AnswerDraft, accountOf } from "./answer-draft.ts";
import { checkSpending, estimatedCost, takeRetry } from "./budget.ts";
import { modelName, modelRef } from "./env.ts";
import { type PromptAttempt, promptAttempt } from "./prompt-attempt.ts";
import { answerRedaction } from "./redactors.ts";
import type { Turn } from "./turn.ts";

/**
 * The model's answer, staged in the log unless a stop came before its first word. Undefined if the turn is detached. A
 * prompt that the provider calls too long is trimmed harder and sent once more. Rethrows errors of the model.
 */
export async function* askModel(turn: Turn): AsyncGenerator<TurnEvent, AssistantMessage | undefined> {
  const { env, state } = turn;
  turn.log.checkSeen();
  let known = calibrationIn(state.history, modelName(env), env.carried.calibration);
  for (let refused = false; ; refused = true) {
    let attempt = promptAttempt(turn, known, refused);
    if (!refused && (yield* sumUp(turn, attempt))) attempt = promptAttempt(turn, known, refused);
    const { contextWindow } = env.model;
    const { estimatedTokens, trimmed } = attempt;
    const tokens = Math.round(estimatedTokens * known.scale);
    checkSpending(turn, estimatedCost(tokens, env.model, state.history));
    yield { event: "context", data: { tokens, budget: budgetOf(known, contextWindow), trimmed } };
    try {
      const message = yield* sample(turn, attempt);
      if (message) tellOfDropped(turn, message, known);
      if (message && saysSomething(message)) turn.emit({ event: "message", data: { message } });
      return message;
    } catch (error) {
      if (!isTooLong(error)) throw error;
      known = tightened(known, { contextWindow, estimatedTokens, said: error.message });
      if (refused || !takeRetry(turn, 0)) {
        rememberTooLong(turn, known);
        throw error;
      }
    }
  }
}

/** Tells the person once, before the answer, that requests are smaller from here on. */
function tellOfDropped(turn: Turn, { calibration }: AssistantMessage, known: Calibration): void {
  const { request, deps, model, provider } = turn.env;
  const { window } = calibration ?? {};
  if (window === undefined || known.window !== undefined) return;
  turn.note({
    id: `${request.turnId}.${turn.state.round}.dropped`,
    at: deps.now(),
    subkind: "system_notice",
    source: "model",
    content: `${provider.label} keeps only about ${window} tokens of a request to ${model.id} and drops the beginning of longer ones without saying so: from now on, requests are kept smaller. Load the model with a larger window.`,
    data: { kind: "dropped_front", window },
  });
}

/** A stop before the first word leaves no message. */
function saysSomething({ finish, content, reasoning }: AssistantMessage): boolean {
  return finish !== "aborted" || content !== "" || reasoning !== undefined;
}

/** Records what the refusal taught, because no answer will carry it: otherwise a later turn would be refused again. */
function rememberTooLong(turn: Turn, calibration: Calibration): void {
  const { request, deps, model } = turn.env;
  turn.note({
    id: `${request.turnId}.${turn.state.round}.too-long`,
    at: deps.now(),
    subkind: "system_notice",
    source: "model",
    content: `A request was longer than ${model.id} accepts: later ones are kept smaller.`,
    data: { calibration },
  });
}

function isTooLong(error: unknown): error is HandrailError {
  return error instanceof HandrailError && error.details?.reason === "context_length";
}

/**
 * True if the history now has a new summary, which is recorded before it is used, so that it is never paid for twice.
 * If the model gives none, the digest of facts remains, and the failure is recorded, so that the model is not asked
 * again until more has been left out. Rethrows errors of the sandbox.
 */
async function* sumUp(turn: Turn, attempt: PromptAttempt): AsyncGenerator<TurnEvent, boolean> {
  const { model, request, deps, redactors } = turn.env;
  if (!model.summary || attempt.trimmed === 0) return false;
  const { history, round } = turn.state;
  const wanted = summaryRequest(history, attempt.shown, roomOf(attempt.known, model.contextWindow));
  if (wanted === undefined || !mayAfford(turn)) return false;
  const asked = completionArguments(turn, { messages: wanted.prompt, tools: [] });
  const answer = streamCompletion(asked.deps, { ...asked.request, maxRetries: 0 });
  let text: string | undefined;
  let counted: Usage | undefined;
  try {
    for await (const event of answer) {
      if (event.type === "usage") {
        const { type: _, ...usage } = event;
        counted = usage;
        yield { event: "usage", data: usage };
      } else if (event.type === "end") text = event.text.trim();
    }
  } catch {
    text = "";
  }
  // The turn was stopped or detached.
  if (text === undefined) return false;
  const estimatedTokens = estimatePrompt(wanted.prompt);
  // A failed request is not counted as paid: no provider reported usage for it.
  const { usage } =
    text || counted ? accountOf({ ...attempt, estimatedTokens }, counted, text, model.price) : {};
  turn.note({
    id: `${request.turnId}.${round}.summary-${deps.newId().slice(0, 8)}`,
    at: deps.now(),
    subkind: "system_notice",
    source: summarySource,
    content: text
      ? redactors.all.redact(text).slice(0, maxSummaryChars)
      : (lastSummary(history)?.content ?? ""),
    data: { through: wanted.through, ok: text !== "", ...(usage ? { usage } : {}) },
  });
  yield* turn.journalStaged();
  return text !== "";
}

/** Whether the budget has room for the request, for recording it, and for a round after it. */
function mayAfford(turn: Turn): boolean {
  const needed = turn.used.subrequests + 2 + limits.roundSubrequests;
  return needed <= limits.hostBudget(turn.env.deps.host).subrequests && takeRetry(turn, 0);
}

/**
 * Streams one answer: text and waits go to `env.say`, everything else is yielded. A stop returns the text so far, with
 * the finish `aborted`; undefined = the turn is detached. Throws HandrailError if the model fails; the streamed text is
 * then void.
 */
export async function* sample(
  turn: Turn,
  attempt: PromptAttempt,
): AsyncGenerator<EphemeralEvent, AssistantMessage | undefined> {
  const { redactors, signals } = turn.env;
  const answer = new AnswerDraft(turn, attempt);
  const redacted = answerRedaction(redactors.all, redactors.own);
  const full = new AbortController();
  const { deps, request } = completionArguments(
    turn,
    { messages: attempt.prompt, tools: attempt.tools },
    full.signal,
  );
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
      yield* takeEvent(turn, answer, part);
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
function* takeEvent(
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

/** Records in the history what the provider refuses, so that replays and later turns leave it out, too. */
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

/** The arguments of `streamCompletion` for this turn. Aborting one of `ends` ends the completion too. */
function completionArguments(
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
