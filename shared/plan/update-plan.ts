// `update_plan` (PROTOCOL 7): its arguments, and the plan after one update. It runs nothing and computes no hashes.
import * as z from "zod/mini";
import { argsProblem } from "./args-problem.ts";
import { deltaText } from "./blocks.ts";
import { isActivePlan } from "./is-active-plan.ts";
import { asPreamble, isFreeText, proseOf, renderPlan } from "./markdown.ts";
import { renderSteps } from "./markdown-steps.ts";
import { bodyOf, buildStep } from "./plan-body.ts";
import { AddedStep, type Plan, type PlanDelta, type Step, StepChange, type StepStatus } from "./plan-file.ts";
import { oneLine } from "./plan-lines.ts";
import { countScalars, maxDeltaScalars, maxPlanScalars } from "./scalars.ts";
import { tidyUpdatePlan } from "./tidy-plan-args.ts";
import { cutDelta, deltaProblem, normaliseDelta } from "./update-delta.ts";

export const UpdatePlanArgs = z.object({
  note: z.optional(z.string()),
  goal: z.optional(z.string()),
  steps: z.optional(z.array(StepChange)),
  addSteps: z.optional(z.array(AddedStep)),
  removeSteps: z.optional(z.array(z.string())),
  summary: z.optional(z.string()),
});
export type UpdatePlanArgs = z.infer<typeof UpdatePlanArgs>;

export interface StatusChange {
  stepId: string;
  status: StepStatus;
  note?: string;
}

export type AppliedUpdate =
  | {
      ok: true;
      /**
       * The plan with its new content and markdown. `hash` is out of date if `contentChanged`; statuses are not changed
       * yet.
       */
      plan: Plan;
      delta: PlanDelta;
      /** Whether `delta` was added to `plan.deltas`; an update that only reports statuses is not. */
      appended: boolean;
      contentChanged: boolean;
      /** In the given order. The caller applies them, because making a step active or done can run checks and hooks. */
      statusChanges: StatusChange[];
      truncated?: { kept: number; of: number };
    }
  | { ok: false; problem: string };

/**
 * The plan after an `update_plan` call; `args` need not be parsed. Problems are for the model, and then nothing has
 * changed. A change of content makes a proposed or approved plan a draft again.
 */
export function applyUpdate(plan: Plan, args: unknown): AppliedUpdate {
  const parsed = z.safeParse(UpdatePlanArgs, tidyUpdatePlan(args));
  if (!parsed.success) return { ok: false, problem: argsProblem(parsed.error) };
  if (!isActivePlan(plan)) {
    return { ok: false, problem: `the plan is ${plan.status}; call set_plan for a new one` };
  }
  const delta = normaliseDelta(plan, parsed.data);
  const problem = deltaProblem(plan, delta);
  if (problem !== undefined) return { ok: false, problem };
  const cut = cutDelta(delta, maxDeltaScalars);
  if (!cut.ok) return cut;

  const steps = applySteps(plan.steps, cut.delta);
  const prose = isFreeText(plan.markdown)
    ? { preamble: asPreamble(plan.markdown), notes: "" }
    : proseOf(plan.markdown);
  const goal = cut.delta.goal ?? plan.goal;
  // Free text in place of a goal has only one line for the goal.
  const changed = { ...plan, steps, goal: prose.preamble === "" ? goal : oneLine(goal) };
  const contentChanged = changed.goal !== plan.goal || stepText(changed) !== stepText(plan);
  const markdown = contentChanged
    ? renderPlan(
        bodyOf(changed),
        changed.goal === plan.goal ? prose : { ...prose, preamble: withGoal(prose.preamble, changed.goal) },
      )
    : plan.markdown;
  const size = countScalars(markdown);
  if (contentChanged && size > maxPlanScalars) {
    return {
      ok: false,
      problem: `the plan would have ${size} characters, at most ${maxPlanScalars}; remove or shorten steps`,
    };
  }
  const appended = contentChanged || cut.delta.note !== undefined;
  const content = withoutProgress(cut.delta);
  return {
    ok: true,
    plan: {
      ...changed,
      markdown,
      status:
        contentChanged && (plan.status === "proposed" || plan.status === "approved") ? "draft" : plan.status,
      deltas: appended ? [...plan.deltas, content] : plan.deltas,
    },
    delta: content,
    appended,
    contentChanged,
    statusChanges: statusChangesOf(cut.delta),
    ...(cut.truncated ? { truncated: cut.truncated } : {}),
  };
}

/**
 * The update as it is stored: without reported statuses, which may turn out differently and are stored only in the
 * step.
 */
function withoutProgress({ steps, ...delta }: PlanDelta): PlanDelta {
  const changes = (steps ?? [])
    .map(({ status, note, ...change }) =>
      status === undefined && note !== undefined ? { ...change, note } : change,
    )
    .filter((change) => Object.keys(change).length > 1);
  return changes.length > 0 ? { ...delta, steps: changes } : delta;
}

/** Whether the updates of this version have become longer than the limit for one body. */
export function needsFold(plan: Plan): boolean {
  return plan.deltas.reduce((sum, delta) => sum + countScalars(deltaText(delta)), 0) > maxDeltaScalars;
}

/**
 * The next version with the updates merged in: same content, hash and progress, and no deltas. It has not been
 * proposed.
 */
export function foldPlan(plan: Plan): Plan {
  const status = plan.status === "proposed" ? "draft" : plan.status;
  return { ...plan, version: plan.version + 1, supersedes: plan.version, status, deltas: [] };
}

function stepText(plan: Plan): string {
  return renderSteps(bodyOf(plan).steps).join("\n");
}

/** Free text with another goal, which replaces the first line that is not blank. */
function withGoal(preamble: string, goal: string): string {
  const lines = preamble.split("\n");
  const first = lines.findIndex((line) => line.trim() !== "");
  return first < 0 ? "" : lines.with(first, asPreamble(goal)).join("\n");
}

function applySteps(
  before: readonly Step[],
  { steps = [], addSteps = [], removeSteps = [] }: PlanDelta,
): Step[] {
  const after = before.map((step) =>
    steps.filter((change) => change.id === step.id).reduce(changedStep, step),
  );
  const fresh = new Set<Step>();
  const lastBehind = new Map<string, Step>();
  for (const { after: anchor, id = "", ...input } of addSteps) {
    const step: Step = { ...buildStep(input, id), status: "pending" };
    // Several new steps after the same step keep their order.
    const left =
      anchor === undefined
        ? undefined
        : (lastBehind.get(anchor) ?? after.find((other) => other.id === anchor));
    after.splice(left ? after.indexOf(left) + 1 : after.length, 0, step);
    fresh.add(step);
    if (anchor !== undefined) lastBehind.set(anchor, step);
  }
  return after.filter((step) => fresh.has(step) || !removeSteps.includes(step.id));
}

/** The step with its new content and, if the change has no status, the new note. */
function changedStep(step: Step, { status, note, ...content }: StepChange): Step {
  const { description, actions, preconditions, postconditions, checkpoint, onFail } = content;
  return {
    ...step,
    description: description ?? step.description,
    actions: actions ?? step.actions,
    preconditions: preconditions ?? step.preconditions,
    postconditions: postconditions ?? step.postconditions,
    checkpoint: checkpoint === undefined ? step.checkpoint : checkpoint,
    onFail: onFail ?? step.onFail,
    ...(note === undefined || status !== undefined ? {} : { note, noteBy: "model" }),
  };
}

/** If there are several for one step, the last one counts. */
function statusChangesOf({ steps = [] }: PlanDelta): StatusChange[] {
  return steps.flatMap(({ id, status, note }, at) =>
    status === undefined || steps.some((later, then) => then > at && later.id === id && later.status)
      ? []
      : [{ stepId: id, status, ...(note === undefined || note === "" ? {} : { note }) }],
  );
}
