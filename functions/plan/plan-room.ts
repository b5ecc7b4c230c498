// A plan that no request can hold is refused before the model is called, in words that name the remedy.
import { HandrailError } from "../../shared/errors.ts";
import { planBlock } from "../../shared/plan/blocks.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import { estimateText, estimateTools, promptBudget } from "../context/estimate.ts";
import { systemPrompt } from "../context/system-prompt.ts";
import { offeredTools, toolDefinitions } from "../tools/definitions.ts";
import { inForce } from "./set-and-get.ts";

/** Throws `too_large` where the plan in force leaves no room beside what every request holds. `contextWindow`: tokens. */
export function checkPlanFits({ mode, input }: TurnRequest, plan: Plan | null, contextWindow: number): void {
  // Going back needs no model.
  if (!inForce(plan) || input.type === "rewind") return;
  const always =
    estimateTools(toolDefinitions(offeredTools(mode))) + estimateText(systemPrompt({ planning: true }));
  const room = Math.max(0, promptBudget(contextWindow) - always);
  const tokens = estimateText(planBlock(plan.version, plan.markdown));
  if (tokens <= room) return;
  throw new HandrailError(
    "too_large",
    `plan.markdown: the plan takes about ${tokens} tokens and this model has room for about ${room}. Shorten the plan, or choose a model with a larger window.`,
    { details: { field: "plan.markdown" } },
  );
}
