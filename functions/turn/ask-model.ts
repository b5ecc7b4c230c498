// One question to the model: a prompt attempt, and a smaller one where the provider refuses it as too long.
import { HandrailError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/event.ts";
import type { AssistantMessage, Calibration } from "../../shared/message.ts";
import { budgetOf, calibrationIn, tightened } from "../context/calibration.ts";
import { checkSpending, estimatedCost, takeRetry } from "./budget.ts";
import { modelName } from "./env.ts";
import { promptAttempt } from "./prompt-attempt.ts";
import { sample } from "./sample.ts";
import { sumUp } from "./sum-up.ts";
import type { Turn } from "./turn.ts";

/**
 * The model's answer, staged in the log unless a stop came before its first word. Undefined where the turn is detached.
 * A prompt that the provider calls too long is trimmed harder and sent once more. Throws what the model fails with.
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

/** Says it before the answer, once: requests are made smaller from here on. */
function tellOfDropped(turn: Turn, { calibration }: AssistantMessage, known: Calibration): void {
  const { request, deps, model, provider } = turn.env;
  const { window } = calibration ?? {};
  if (window === undefined || known.window !== undefined) return;
  turn.note({
    id: `${request.turnId}.${turn.state.round}.dropped`,
    at: deps.now(),
    subkind: "system_notice",
    source: "model",
    content: `${provider.label} keeps only about ${window} tokens of a request to ${model.id} and drops the beginning of longer ones without a word: requests are kept smaller from here on. Load the model with a larger window.`,
    data: { kind: "dropped_front", window },
  });
}

/** A stop before the first word leaves no message. */
function saysSomething({ finish, content, reasoning }: AssistantMessage): boolean {
  return finish !== "aborted" || content !== "" || reasoning !== undefined;
}

/** Keeps what the refusal taught: no answer will carry it, and a later turn would be refused again. */
function rememberTooLong(turn: Turn, calibration: Calibration): void {
  const { request, deps, model } = turn.env;
  turn.note({
    id: `${request.turnId}.${turn.state.round}.too-long`,
    at: deps.now(),
    subkind: "system_notice",
    source: "model",
    content: `A request was longer than ${model.id} takes: the next ones are kept smaller.`,
    data: { calibration },
  });
}

function isTooLong(error: unknown): error is HandrailError {
  return error instanceof HandrailError && error.details?.reason === "context_length";
}
