// When a plan needs the person: a plan written or changed in plan mode awaits their approval, and a change of an approved
// plan is shown to them as a difference.

import { unifiedDiff } from "../../shared/hashline/diff.ts";
import type { Message } from "../../shared/message.ts";
import { planDifference } from "../../shared/plan/ledger.ts";
import { bodyOf } from "../../shared/plan/plan-body.ts";
import type { Checkpoint, Plan, PlanBody } from "../../shared/plan/plan-file.ts";
import { isOtherPlan } from "../../shared/plan/set-plan.ts";
import { activeStep } from "../../shared/plan/steps.ts";
import { beginsPlan, isEventOf } from "../../shared/session/history.ts";
import { askPermission, isApproval, wasApproved } from "../calls/permission.ts";
import type { PendingCall, Waits } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { gateChecks } from "./checks.ts";
import { chosenCommands } from "./history-facts.ts";
import { isHeldBack } from "./rail.ts";

/**
 * Whether the person has to decide on the plan before it begins: it was written or changed while planning, and they have
 * not approved it since. A plan that the model began itself outside plan mode needs no approval; a plan in progress was
 * approved or begun already, and a finished one does not begin.
 */
export function awaitsApproval(plan: Plan | null, history: readonly Message[]): boolean {
  if (plan?.status === "proposed") return true;
  return plan?.status === "draft" && wasPlanned(history);
}

/** Whether `history` ends with a plan, or a change of one, that was made in plan mode and not approved. */
function wasPlanned(history: readonly Message[]): boolean {
  let planned = false;
  let before: PlanBody | undefined;
  for (const message of history) {
    if (message.role === "plan") {
      const { plan } = message.extra;
      // A new version of a plan that awaits approval awaits it, too. Otherwise one more word in the text would begin
      // the plan.
      const other = beginsPlan(message) || before === undefined || isOtherPlan(before, plan);
      planned = message.mode === "plan" || (planned && !other);
      before = plan;
    } else if (isEventOf(message, "plan_delta")) planned ||= message.mode === "plan";
    else if ("rejects" in message) planned = true;
    else if (isApproval(message)) planned = false;
  }
  return planned;
}

/** Why no report of progress is taken, and what the model can do. */
export function awaitsText({ version }: Pick<Plan, "version">): string {
  return `the person has not approved this plan (version ${version}), so it has not begun. Do not work on it: they approve it on its card, or in plan mode. Do what their message asks; if that needs a plan of its own, call set_plan with it`;
}

/** What the plan would say, and the commands that would run at once. */
interface Change {
  after: PlanBody & { markdown: string };
  commands: readonly string[];
}

/**
 * The question to the person before an approved plan changes while it runs: always in normal mode; in auto mode only
 * if a failed step waits for the person, because the change could remove that step. Undefined if nothing is to be
 * asked. It includes what `gateChecks` would ask.
 */
export function askAboutChange(
  turn: ToolTurn,
  pending: PendingCall,
  { after, commands }: Change,
): Waits | undefined {
  const { plan, mode, history } = turn.state;
  const asks =
    !turn.env.isOlder && (mode === "normal" || (mode === "auto" && isHeldBack(turn))) && !pending.permitted;
  if (!asks || !plan || !wasApproved(plan, history)) return undefined;
  if (sameContent(bodyOf(plan), asBeforeChoice(turn, plan, after))) return undefined;
  const { markdown, ...body } = after;
  const next: Plan = {
    ...plan,
    ...body,
    markdown,
    steps: body.steps.map((step) => ({ ...step, status: "pending" })),
  };
  // Shown whole: otherwise the part that is cut off would be approved unseen.
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
 * `after`, but with the old check of the active step if the person chose its new one in the answers that began this
 * turn: they have read that command.
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

/** Whether two plans say the same. The time limit of a check is not part of what was approved. */
function sameContent(a: PlanBody, b: PlanBody): boolean {
  return comparedContent(a) === comparedContent(b);
}

function comparedContent({ goal, steps, checkpoints, rollback }: PlanBody): string {
  const untimed = steps.map(
    ({ id, description, actions, preconditions, postconditions, checkpoint, onFail }) => [
      ...[id, description, actions, preconditions, postconditions],
      ...[checkpoint && commandOnly(checkpoint), onFail],
    ],
  );
  const ends = checkpoints.map((entry) => (typeof entry === "string" ? entry : commandOnly(entry)));
  return JSON.stringify([goal, untimed, ends, rollback]);
}

function commandOnly({ command }: Checkpoint): { command: string } {
  return { command };
}
