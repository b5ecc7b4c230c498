// A plan that the person approved would change while it runs: in normal mode they are asked first, with the difference; in
// auto mode only where a step failed that waits for their word, which the change could do away with.
import { unifiedDiff } from "../../shared/hashline/diff.ts";
import { isUnderWay } from "../../shared/plan/is-active-plan.ts";
import { planDifference } from "../../shared/plan/ledger.ts";
import { bodyOf } from "../../shared/plan/plan-body.ts";
import type { Checkpoint, Plan, PlanBody } from "../../shared/plan/plan-file.ts";
import { activeStep } from "../../shared/plan/steps.ts";
import { askPermission } from "../calls/permission.ts";
import type { PendingCall, Waits } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { wasApproved } from "../calls/was-approved.ts";
import { gateChecks } from "./check-call.ts";
import { chosenCommands } from "./chosen-commands.ts";
import { isHeldBack } from "./rail.ts";

/** What the plan would say, and the commands that run at once when it does. */
interface Change {
  after: PlanBody & { markdown: string };
  commands: readonly string[];
}

/** The question to the person; undefined where there is none to ask. It covers what `gateChecks` would ask about as well. */
export function askAboutChange(
  turn: ToolTurn,
  pending: PendingCall,
  { after, commands }: Change,
): Waits | undefined {
  const { plan, mode, history } = turn.state;
  const asks =
    turn.env.rail && (mode === "normal" || (mode === "auto" && isHeldBack(turn))) && !pending.permitted;
  if (!asks || !plan || !isUnderWay(plan.status) || !wasApproved(plan, history)) return undefined;
  if (sameContent(bodyOf(plan), asBeforeChoice(turn, plan, after))) return undefined;
  const { markdown, ...body } = after;
  const next: Plan = {
    ...plan,
    ...body,
    markdown,
    steps: body.steps.map((step) => ({ ...step, status: "pending" })),
  };
  // Whole: what is cut off here would be approved unseen.
  const diff = unifiedDiff(plan.markdown, markdown, "approved", "changed");
  const gated = gateChecks(turn, pending, commands)?.drafts[0];
  const runs = gated?.event === "permission" ? [gated.data.why] : [];
  return askPermission(pending, {
    risk: "plan_change",
    why: ["The plan that you approved would change while it runs.", ...runs].join("\n"),
    ...(commands.length > 0 ? { commands: [...commands] } : {}),
    change: { updates: planDifference(plan, next), diff },
  });
}

/**
 * `after` with the check that the active step had, where the person gave it another one in the answers that this turn
 * began with: they read that command and chose it.
 */
function asBeforeChoice({ env, state }: ToolTurn, plan: Plan, after: PlanBody): PlanBody {
  const active = activeStep(plan);
  if (env.request.input.type !== "answers" || !active) return after;
  const isChosen = chosenCommands(state.history, plan);
  const steps = after.steps.map((step) =>
    step.id === active.id && step.checkpoint && isChosen(step.checkpoint.command)
      ? { ...step, checkpoint: active.checkpoint }
      : step,
  );
  return { ...after, steps };
}

/** Whether two plans say the same. The time that a check may take is no part of what was approved. */
function sameContent(a: PlanBody, b: PlanBody): boolean {
  return contentOf(a) === contentOf(b);
}

function contentOf({ goal, steps, checkpoints, rollback }: PlanBody): string {
  const untimed = steps.map(
    ({ id, description, actions, preconditions, postconditions, checkpoint, onFail }) => [
      ...[id, description, actions, preconditions, postconditions],
      ...[checkpoint && commandOf(checkpoint), onFail],
    ],
  );
  const ends = checkpoints.map((entry) => (typeof entry === "string" ? entry : commandOf(entry)));
  return JSON.stringify([goal, untimed, ends, rollback]);
}

function commandOf({ command }: Checkpoint): { command: string } {
  return { command };
}
