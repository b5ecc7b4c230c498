// `set_plan` and `get_plan`: a plan comes into force, or is read.
import { deltaText } from "../../shared/plan/blocks.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { truncationMarker } from "../../shared/plan/scalars.ts";
import { abandons, planText } from "../../shared/plan/set-plan.ts";
import { doneSteps } from "../../shared/plan/steps.ts";
import { viewPlans } from "../context/plan-view.ts";
import { failed, type PendingCall, type Prepared, settled } from "../tools/prepared.ts";
import { emit, type TurnState } from "../turn/state.ts";
import { install } from "./installing.ts";

/** A plan that still stands: neither done nor abandoned. */
export function inForce(plan: Plan | null): plan is Plan {
  return plan !== null && plan.status !== "done" && plan.status !== "abandoned";
}

/** Installs version 1 or the next; the result never carries the plan's text. */
export async function prepareSetPlan(
  state: TurnState,
  pending: PendingCall,
  args: unknown,
): Promise<Prepared> {
  const before = inForce(state.plan) ? state.plan : null;
  const text = planText(args, doneSteps(before));
  if (!text.ok) return failed(`error: set_plan: ${text.problem}`, true);
  if (before && abandons(before, text.body))
    emit(state, { event: "plan", data: { plan: { ...before, status: "abandoned" } } });
  const { plan, drafts } = await install(state.plan, text, {
    source: "model",
    origin: pending.call.id,
    at: pending.at,
    mode: state.mode,
  });
  for (const draft of drafts) emit(state, draft);
  const cut = text.truncated
    ? ` It was too long: ${truncationMarker(text.truncated.kept, text.truncated.of)}`
    : "";
  const ids = plan.steps.map((step) => step.id).join(", ");
  const steps = plan.steps.length > 0 ? ` Steps: ${ids}.` : "";
  return settled(`Plan version ${plan.version} installed.${steps}${cut}`, {
    facts: { version: plan.version },
  });
}

/** The plan as it now reads; where its body stands in the request already, only where. */
export function prepareGetPlan(state: TurnState): Prepared {
  const { plan } = state;
  if (!plan) return settled('{"plan":null}', { noMeta: true });
  const deltas = plan.deltas.map((delta) => deltaText(delta)).join("\n");
  const progress = plan.steps.map((step) => `${step.id}: ${step.status}`).join(", ");
  const updates = plan.deltas.length > 0 ? `\n\n## Plan updates\n${deltas}` : "";
  const shown = bodyIsShown(state);
  const body = shown ? `The plan of version ${plan.version} stands above, ${shown}.` : plan.markdown;
  return settled(
    `${body}${updates}\n\nProgress: ${progress || "no steps"}\ndeltaCount: ${plan.deltas.length}`,
    { noMeta: true },
  );
}

/** Where the body stands in the next request, or undefined where only this result can give it. */
function bodyIsShown(state: TurnState): string | undefined {
  const view = viewPlans(state.history);
  if (view.carrier !== undefined) return "in the call or text that made it";
  if (view.shownSwitch !== undefined) return "in the message about the change of mode";
  return view.asBlock ? "in the <plan> block" : undefined;
}
