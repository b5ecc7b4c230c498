// One prompt for the model: system prompt, tools, and as much of the history as fits its window.
import type { Calibration, Message } from "../../shared/message.ts";
import { fitPrompt } from "../compaction/fit-prompt.ts";
import { calibrationIn, roomOf } from "../context/calibration.ts";
import { estimateMessage, estimateTools } from "../context/estimate.ts";
import { withShownRows } from "../context/render.ts";
import { systemPrompt } from "../context/system-prompt.ts";
import { withOwnThoughts } from "../context/thoughts.ts";
import type { PromptMessage, ToolDefinition } from "../model/prompt.ts";
import { checkPlanFits } from "../plan/check-plan.ts";
import { fewTools, isPlanned, offeredTools, visibleTools } from "../tools/offered-tools.ts";
import { toolDefinitions } from "../tools/tool-index.ts";
import type { Turn } from "./turn.ts";

/** The prompt, and its estimated size. */
export interface PromptAttempt {
  prompt: readonly PromptMessage[];
  tools: readonly ToolDefinition[];
  /** Tokens of prompt and tools, estimated by us. */
  estimatedTokens: number;
  /** Messages left out or shortened. */
  trimmed: number;
  known: Calibration;
  /** True if `known` was just learned from a refusal. */
  refused: boolean;
  /** The history that is left after trimming. */
  shown: readonly Message[];
}

/** Names of our own tools that the model is shown now. */
export function ownTools({ env, state }: Pick<Turn, "env" | "state">): string[] {
  const { mode, plan, history, toolProtocol } = state;
  const visible = visibleTools(env.request.options, mode, isPlanned(mode, plan, history), history);
  return toolProtocol === "text" && env.model.small ? fewTools(visible) : visible;
}

/** Throws `too_large` if the plan alone does not fit. */
export function promptAttempt({ env, state }: Turn, known: Calibration, refused: boolean): PromptAttempt {
  const { request, model, carried } = env;
  const { history, mode } = state;
  const { planPrompt } = request.options;
  const foreign = env.foreign?.definitions(mode) ?? [];
  const own = toolDefinitions(ownTools({ env, state }), model.edits);
  const tools = [...own, ...foreign];
  const callers = history[0]?.role === "system" ? history[0].content : undefined;
  const system = (planning: boolean) => systemPrompt({ planning, planPrompt, callers, edits: model.edits });
  const toolTokens = estimateTools(tools);
  // Keep the same room in every mode, with and without a plan, so that no switch brings back messages that were left
  // out.
  const mostToolTokens = estimateTools([
    ...toolDefinitions(offeredTools("normal"), model.edits),
    ...(env.foreign?.definitions("normal") ?? []),
  ]);
  const room = (calibration: Calibration) =>
    Math.max(0, roomOf(calibration, model.contextWindow) - mostToolTokens);
  // Checked here as well as at the claim: the model may have written the plan in this turn.
  checkPlanFits(state.plan, room(known));
  const readable = withShownRows(withOwnThoughts(history, known.model), model.edits);
  const fitted = fitPrompt(readable, system(mode === "plan"), {
    now: known,
    before: calibrationIn([], known.model, carried.calibration),
    tokens: room,
    systemTokens: estimateMessage({ role: "system", content: system(true) }),
  });
  const { prompt, tokens, trimmed, history: shown } = fitted;
  return { prompt, tools, estimatedTokens: tokens + toolTokens, trimmed, known, refused, shown };
}
