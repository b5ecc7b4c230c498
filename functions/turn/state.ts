// The state that changes while a turn runs: folded from its durable events as they are staged, so every run gets the same.
import type { DurableDraft, DurableEvent, ToolProtocol } from "../../shared/event.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { withStep } from "../../shared/plan/steps.ts";
import type { ToolState } from "../calls/tool-turn.ts";
import { readFallback } from "../model/fallback.ts";
import type { Refused } from "../model/refused.ts";

export interface LoopState extends ToolState {
  /** Rounds sampled in this turn so far. */
  round: number;
  toolProtocol: ToolProtocol;
  /** What requests to this model leave out. */
  readonly omit: Set<Refused>;
}

export function apply(state: LoopState, event: DurableEvent): void {
  state.plan = planAfter(state.plan, event);
  switch (event.event) {
    case "turn.started":
      state.mode = event.data.mode;
      state.toolProtocol = event.data.toolProtocol;
      break;
    case "message": {
      const { message } = event.data;
      state.history.push(message);
      const fallback = readFallback(message);
      if (fallback?.part === "tools") state.toolProtocol = "text";
      if (fallback?.part === "images") state.omit.add("images");
      break;
    }
    case "mode":
      state.mode = event.data.to;
      break;
    default:
  }
}

/** The plan file once `event` has happened. */
export function planAfter(plan: Plan | null, event: DurableDraft): Plan | null {
  if (event.event === "plan") return event.data.plan;
  if (event.event !== "step" || !plan) return plan;
  const { stepId, ...patch } = event.data;
  return withStep(plan, stepId, patch);
}
