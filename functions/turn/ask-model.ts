// One question to the model: the prompt within its window, and a smaller one where the provider refuses it as too long.
import { HandrailError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/event.ts";
import type { Calibration, Message } from "../../shared/message.ts";
import type { Mode } from "../../shared/mode.ts";
import { budgetOf, calibrationIn, roomOf, tightened } from "../context/calibration.ts";
import { estimateMessage, estimateTools } from "../context/estimate.ts";
import { fitPrompt } from "../context/fit.ts";
import { systemPrompt } from "../context/system-prompt.ts";
import type { PromptMessage, ToolDefinition } from "../model/prompt.ts";
import { checkPlanFits } from "../plan/plan-room.ts";
import { offeredTools, toolDefinitions } from "../tools/tool-index.ts";
import { mayAskAgain } from "./budget.ts";
import { type Sampled, sample } from "./sample.ts";
import { emitEvent, modelName, type TurnState } from "./state.ts";
import { sumUp } from "./sum-up.ts";

/** What is sent, and what is known of its size. */
export interface Asked {
  prompt: readonly PromptMessage[];
  tools: readonly ToolDefinition[];
  /** Prompt and tools, by our own estimate. */
  estimatedTokens: number;
  trimmed: number;
  known: Calibration;
  /** What is known was just learned from a refusal. */
  refused: boolean;
  /** What is left of the history. */
  shown: readonly Message[];
}

/** As `sample`; a prompt that the provider calls too long is trimmed harder and sent once more. */
export async function* askModel(state: TurnState): AsyncGenerator<TurnEvent, Sampled | undefined> {
  let known = calibrationIn(state.history, modelName(state), state.carried.calibration);
  for (let refused = false; ; refused = true) {
    let asked = ask(state, known, refused);
    if (!refused && (yield* sumUp(state, asked))) asked = ask(state, known, refused);
    const { contextWindow } = state.model;
    const { estimatedTokens, trimmed } = asked;
    const tokens = Math.round(estimatedTokens * known.scale);
    yield { event: "context", data: { tokens, budget: budgetOf(known, contextWindow), trimmed } };
    try {
      return yield* sample(state, asked);
    } catch (error) {
      if (!isTooLong(error)) throw error;
      known = tightened(known, { contextWindow, estimatedTokens, said: error.message });
      if (refused || !mayAskAgain(state, 0)) {
        rememberRefusal(state, known);
        throw error;
      }
    }
  }
}

function ask(state: TurnState, known: Calibration, refused: boolean): Asked {
  const { history, mode, request, model } = state;
  const { planPrompt, readOnlyTools } = request.options;
  const toolsIn = (one: Mode) => toolDefinitions(offeredTools(one, readOnlyTools), model.edits);
  const tools = toolsIn(mode);
  const callers = history[0]?.role === "system" ? history[0].content : undefined;
  const system = (planning: boolean) => systemPrompt({ planning, planPrompt, callers, edits: model.edits });
  const toolTokens = estimateTools(tools);
  // The same room in every mode, so that a change of mode brings nothing back that was left out.
  const most = mode === "plan" ? estimateTools(toolsIn("normal")) : toolTokens;
  const room = (calibration: Calibration) => Math.max(0, roomOf(calibration, model.contextWindow) - most);
  // The model may have written it in this turn.
  checkPlanFits(state.plan, room(known));
  const fitted = fitPrompt(history, system(mode === "plan"), {
    now: known,
    before: calibrationIn([], known.model, state.carried.calibration),
    tokens: room,
    systemTokens: estimateMessage({ role: "system", content: system(true) }),
  });
  const { prompt, tokens, trimmed, history: shown } = fitted;
  return { prompt, tools, estimatedTokens: tokens + toolTokens, trimmed, known, refused, shown };
}

/** No answer will carry what was learned: without it a later turn would meet the same refusals. */
function rememberRefusal(state: TurnState, calibration: Calibration): void {
  emitEvent(state, {
    id: `${state.request.turnId}.${state.round}.too-long`,
    at: state.deps.now(),
    subkind: "system_notice",
    source: "model",
    content: `A request was longer than ${state.model.id} takes: the next ones are kept smaller.`,
    data: { calibration },
  });
}

function isTooLong(error: unknown): error is HandrailError {
  return error instanceof HandrailError && error.details?.reason === "context_length";
}
