// A plan that no request can hold is refused before the model is called, in words that name the remedy.

import { HandrailError } from "../../shared/errors.ts";
import { planBlock } from "../../shared/plan/blocks.ts";
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { estimateText } from "../context/estimate.ts";

/** Throws `too_large` where the plan in force alone is more than a request may hold. `room`: estimated tokens. */
export function checkPlanFits(plan: Plan | null, room: number): void {
  if (!isActivePlan(plan)) return;
  const tokens = estimateText(planBlock(plan.version, plan.markdown));
  if (tokens <= room) return;
  throw new HandrailError(
    "too_large",
    `plan.markdown: the plan takes about ${tokens} tokens and this model has room for about ${room}. Shorten the plan, or choose a model with a larger window.`,
    { details: { field: "plan.markdown" } },
  );
}
