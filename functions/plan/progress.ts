// The progress that an `update_plan` call reports, compared with the plan: which reports count, in the plan's order,
// and which one is refused. Runs nothing.
import type { Checkpoint, NoteBy, Plan, StepStatus } from "../../shared/plan/plan-file.ts";
import { currentStep, findStep, isFinished, isOver, withStep } from "../../shared/plan/steps.ts";
import { endChecks } from "../../shared/plan/undecided-ends.ts";
import { applyUpdate, type StatusChange } from "../../shared/plan/update-plan.ts";

/** A change of the current step: it begins, is done, is skipped, or failed by the model's own word. */
export type Report = StatusChange & {
  status: Exclude<StepStatus, "pending">;
  /** Who wrote the note; absent = the model. */
  noteBy?: NoteBy;
};

export interface Progress {
  /** To be taken one by one, each with its check. */
  reports: Report[];
  /** What the model is told about reports without effect. */
  remarks: string[];
  /** Why the next report and all after it are refused; undefined = none is refused. */
  refusal?: string;
  /** Nothing was changed since the plan began, so a failing check is its own baseline. */
  untouched?: boolean;
}

export interface Rules {
  /** False in turns that 0.2.0 began, where reports count in any order. */
  rail: boolean;
  /** The current step failed, and the person was not asked yet. */
  heldBack: boolean;
}

/** Reads status changes in the order of the steps: models often send the whole list again. */
export function readProgress(plan: Plan, changes: readonly StatusChange[], rules: Rules): Progress {
  const numbered = changes.map((change) => ({
    change,
    at: plan.steps.findIndex(({ id }) => id === change.stepId),
  }));
  const progress: Progress = { reports: [], remarks: [] };
  const repeated: string[] = [];
  let then = plan;
  for (const { change } of numbered.sort((a, b) => a.at - b.at)) {
    const read = readChange(then, change, rules);
    if (read.kind === "refused") return { ...progress, refusal: read.why };
    if (read.kind === "nothing") {
      if (read.repeats === true) repeated.push(change.stepId);
      if (read.remark !== undefined) progress.remarks.push(read.remark);
      continue;
    }
    progress.reports.push(read.report);
    then = withStep(then, change.stepId, { status: change.status });
  }
  // Next to a new status, a repeated one only means that the whole list was sent again.
  const last = repeated.at(-1);
  if (progress.reports.length === 0 && progress.remarks.length === 0 && last !== undefined)
    progress.remarks.push(repeatedText(plan, last));
  return progress;
}

function repeatedText(plan: Plan, stepId: string): string {
  const now = currentStep(plan);
  const next = now ? `Work on step ${now.id}, and report that one` : "No step is open";
  return `Not taken: step ${stepId} is ${findStep(plan, stepId)?.status} since an earlier report, and is not checked again. ${next}.`;
}

type ReadChange =
  | { kind: "report"; report: Report }
  | { kind: "nothing"; remark?: string; repeats?: true }
  | { kind: "refused"; why: string };

function readChange(plan: Plan, change: StatusChange, { rail, heldBack }: Rules): ReadChange {
  const { stepId, status, note } = change;
  const step = findStep(plan, stepId);
  if (!step) return { kind: "nothing" };
  if (isOver(step))
    return step.status === status
      ? { kind: "nothing", repeats: true }
      : {
          kind: "nothing",
          remark: `Step ${stepId} is ${step.status} and stays so: add what is missing with addSteps, or ask the person to undo it.`,
        };
  if (status === "pending") return { kind: "nothing" };
  if (status === step.status)
    return status === "active"
      ? { kind: "nothing", remark: `Step ${stepId} is active.` }
      : { kind: "nothing" };
  const current = currentStep(plan);
  const other = current && current.id !== stepId ? current : undefined;
  if (status === "done" && !note?.trim())
    return refused(`step ${stepId} needs a one-line note that says what was done`);
  if (status === "skipped" && rail && !note?.trim())
    return refused(`step ${stepId} is skipped with a reason only: give it as the note`);
  if (rail && heldBack && current?.status === "failed" && (other || status === "skipped"))
    return refused(
      `step ${current.id} failed, and the person decides what comes of it: call ask_user before another step begins`,
    );
  const outOfTurn = rail ? status !== "skipped" : status === "active" && other?.status === "active";
  if (other && outOfTurn)
    return refused(
      `step ${stepId} is not the one to work on. Step ${other.id} is: report it done, or skipped with a reason, before ${stepId}`,
    );
  return { kind: "report", report: { ...change, status } };
}

function refused(why: string): ReadChange {
  return { kind: "refused", why };
}

/**
 * The commands that the engine runs for these reports: checks of finished steps, and after the last step those of the
 * plan.
 */
export function commandsOfReports(plan: Plan, { reports }: Progress): string[] {
  const checks = reports.flatMap(({ stepId, status }): Checkpoint[] => {
    const check = status === "done" ? findStep(plan, stepId)?.checkpoint : null;
    return check ? [check] : [];
  });
  const after = reports.reduce(
    (then, report) => withStep(then, report.stepId, { status: statusAfter(plan, report) }),
    plan,
  );
  const finishing = reports.length > 0 && isFinished(after) ? endChecks(plan).map(({ check }) => check) : [];
  return [...checks, ...finishing].map(({ command }) => command);
}

/** The resulting status of the step: by the plan's own rule a failed step may be skipped, and is then finished. */
function statusAfter(plan: Plan, { stepId, status }: Report): StepStatus {
  return status === "failed" && findStep(plan, stepId)?.onFail === "skip" ? "skipped" : status;
}

/** The commands that the engine would run for a call of `update_plan`. */
export function checkpointCommands(plan: Plan | null, args: unknown): string[] {
  const applied = plan && applyUpdate(plan, args);
  if (!applied?.ok) return [];
  const rules = { rail: true, heldBack: false };
  return commandsOfReports(applied.plan, readProgress(applied.plan, applied.statusChanges, rules));
}
