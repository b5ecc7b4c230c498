// `set_plan`: a plan comes into force, as version 1 or the next one.

import { truncationMarker } from "../../shared/plan/scalars.ts";
import { SetPlanArgs } from "../../shared/plan/set-plan.ts";
import { planText } from "../../shared/plan/written-plan.ts";
import { beforeOf, submit } from "../plan/submission.ts";
import { failed, type PendingCall, type Prepared, settled } from "./prepared.ts";
import { engineTool } from "./tool.ts";
import type { ToolTurn } from "./tool-turn.ts";

export const setPlan = engineTool({
  name: "set_plan",
  description:
    "Install the plan, or a new version of it: goal in one or two lines, few steps, each with a checkpoint: a command that exits 0 once it is done, within timeoutMs (300000 unless said).",
  schema: SetPlanArgs,
  modes: ["normal", "plan", "auto"],
  prepare,
  trimming: { kept: true },
});

/** The result names version and steps, never the plan's text. */
async function prepare(turn: ToolTurn, pending: PendingCall, args: unknown): Promise<Prepared> {
  const text = planText(args, beforeOf(turn));
  if (!text.ok) return failed(`error: set_plan: ${text.problem}`, true);
  const installed = await submit(turn, text, { origin: pending.call.id, at: pending.at });
  const { plan } = turn.state;
  if (!plan) return failed("error: set_plan: the plan could not be installed");
  if (!installed)
    return settled(`Plan version ${plan.version} says exactly this already.`, {
      facts: { version: plan.version, unchanged: true },
    });
  const cut = text.truncated
    ? ` It was too long: ${truncationMarker(text.truncated.kept, text.truncated.of)}`
    : "";
  const ids = plan.steps.map((step) => step.id).join(", ");
  const steps = plan.steps.length > 0 ? ` Steps: ${ids}.` : "";
  return settled(`Plan version ${plan.version} installed.${steps}${cut}`, {
    facts: { version: plan.version },
  });
}
