// `set_plan` and `get_plan`: a plan comes into force, or is read.
import { deltaText } from "../../shared/plan/blocks.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { planText } from "../../shared/plan/set-plan.ts";
import { failed, type PendingCall, type Prepared, settled } from "../turn/prepared.ts";
import { emit, type TurnState } from "../turn/turn-state.ts";
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
  const text = planText(args);
  if (!text.ok) return failed(`error: set_plan: ${text.problem}`, true);
  const { plan, drafts } = await install(state.plan, text, {
    source: "model",
    origin: pending.call.id,
    at: pending.at,
    mode: state.mode,
  });
  for (const draft of drafts) emit(state, draft);
  const cut = text.truncated
    ? ` It was too long: kept ${text.truncated.kept} of ${text.truncated.of} characters.`
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
  const shown = bodyIsShown(state, plan);
  const body = shown
    ? `The plan of version ${plan.version} stands above in this conversation (${shown}).`
    : plan.markdown;
  return settled(
    `${body}${updates}\n\nProgress: ${progress || "no steps"}\ndeltaCount: ${plan.deltas.length}`,
    { noMeta: true },
  );
}

function bodyIsShown(state: TurnState, plan: Plan): string | undefined {
  const own = state.history.findLast(
    (message) => message.role === "plan" && message.extra.plan.version === plan.version,
  );
  if (!own) return undefined;
  if (own.id.startsWith("plan:")) {
    const origin = own.id.slice("plan:".length);
    return state.history.some((message) => message.role === "assistant" && message.id === origin)
      ? "the text of your plan"
      : "the set_plan call";
  }
  return "the <plan> block";
}
