// The finish summary of an executed plan (PROTOCOL 7): the data of its `verifier_report`, and its text.

import * as z from "zod/mini";
import { CheckBefore, failedBefore } from "./check-before.ts";
import { EditedFile } from "./edited-file.ts";
import { NoteBy, type Plan, StepStatus } from "./plan-file.ts";
import { oneLine } from "./plan-lines.ts";
import { noteWords } from "./plan-now.ts";
import { Decision } from "./question.ts";
import { isOver } from "./steps.ts";

/**
 * One run of a checkpoint. `stepId` is absent for a checkpoint of the whole plan; `exitCode` is null if a signal ended
 * it.
 */
export const CheckResult = z.object({
  stepId: z.optional(z.string()),
  /** The step's description, if the plan no longer contains the step, or the id now belongs to another one. */
  description: z.optional(z.string()),
  command: z.string(),
  exitCode: z.nullable(z.number()),
  /** Its time limit ended it, so it neither passed nor failed. */
  timedOut: z.optional(z.literal(true)),
  limitMs: z.optional(z.number()),
  /** Why it could not be run; it neither passed nor failed. */
  notRun: z.optional(z.string()),
  /** The result on the unchanged files, if it failed and was tried there. */
  before: z.optional(CheckBefore),
});
export type CheckResult = z.infer<typeof CheckResult>;

export const FinishSummary = z.object({
  kind: z.literal("finish"),
  version: z.number(),
  goal: z.string(),
  steps: z.array(
    z.object({
      id: z.string(),
      description: z.string(),
      status: StepStatus,
      note: z.optional(z.string()),
      noteBy: z.optional(NoteBy),
    }),
  ),
  /** The latest run of each check. */
  checks: z.array(CheckResult),
  /** Runs that were replaced by a later run of the same check, and runs for steps that are no longer in the plan. */
  earlier: z.optional(z.array(CheckResult)),
  files: z.array(EditedFile),
  decisions: z.array(Decision),
  /** Ids of steps that were undone. */
  rollbacks: z.array(z.string()),
  /** Present if the person ended the plan, possibly with open steps. */
  closedBy: z.optional(z.literal("person")),
});
export type FinishSummary = z.infer<typeof FinishSummary>;

/**
 * What the engine recorded while the plan ran, across its versions: every check in order, all changed files, and the
 * steps that were rolled back.
 */
export interface RunRecord {
  checks: CheckResult[];
  files: EditedFile[];
  rollbacks: string[];
  closedBy?: "person";
}

export function finishSummary(
  plan: Plan,
  { checks: ran, files, rollbacks, closedBy }: RunRecord,
): FinishSummary {
  const has = (stepId: string) => plan.steps.some(({ id }) => id === stepId);
  const checks = ran.map((check): CheckResult => {
    const { stepId, description = stepId } = check;
    return stepId === undefined || has(stepId) ? check : { ...check, description };
  });
  const last = new Map(checks.map((check) => [checkKey(check), check]));
  const final = checks.filter(
    (check) => check.description === undefined && last.get(checkKey(check)) === check,
  );
  const earlier = checks.filter((check) => !final.includes(check));
  return {
    kind: "finish",
    version: plan.version,
    goal: plan.goal,
    steps: plan.steps.map(({ id, description, status, note, noteBy }) => ({
      id,
      description,
      status,
      ...(note === undefined ? {} : { note }),
      ...(noteBy === undefined ? {} : { noteBy }),
    })),
    checks: final,
    ...(earlier.length > 0 ? { earlier } : {}),
    files,
    decisions: plan.decisions,
    rollbacks: [...new Set(rollbacks.filter(has))],
    ...(closedBy === undefined ? {} : { closedBy }),
  };
}

/**
 * A step has only one check, even if its command changes. Checks of the whole plan are identified by their commands.
 */
function checkKey({ stepId, command, description }: CheckResult): string {
  return stepId === undefined ? `plan: ${command}` : `step: ${stepId} ${description ?? ""}`;
}

/** The summary as text: one line for each entry; empty sections are left out. */
export function finishText(summary: FinishSummary): string {
  const { steps, checks, earlier = [], files, decisions, rollbacks, closedBy } = summary;
  const number = (id: string) => steps.findIndex((step) => step.id === id) + 1;
  // A step's check is named by the step; a check of the whole plan has no name except its command.
  const where = ({ stepId, command, description }: CheckResult) => {
    if (description !== undefined) return `A step no longer in the plan (${oneLine(description)})`;
    return stepId === undefined ? command.replaceAll("\n", "\n  ") : `Step ${number(stepId) || stepId}`;
  };
  const checkLine = (check: CheckResult) => `- ${where(check)}: ${endOf(check)}`;
  // The check in the plan now has another command than the one that ran.
  const isReplaced = ({ stepId, command }: CheckResult) =>
    stepId !== undefined && checks.some((last) => last.stepId === stepId && last.command !== command);
  const earlierLine = (check: CheckResult) =>
    check.description === undefined && isReplaced(check)
      ? `- ${where(check)}, with another check: ${endOf(check)}`
      : checkLine(check);
  const open = steps.filter((step) => !isOver(step)).map(({ id }) => number(id));
  const sections: [string, string[]][] = [
    ["By the person's word", closedBy ? [openWords(open)] : []],
    [`Steps: ${steps.length - open.length} of ${steps.length}`, steps.map(stepLine)],
    [
      `Checks: ${checks.filter(passed).length} of ${checks.length} passed${undecidedWords(checks)}`,
      checks.map(checkLine),
    ],
    ["Earlier attempts, not counted", earlier.map(earlierLine)],
    [
      `Files: ${files.length} changed`,
      files.map(({ path, added, removed }) => `- ${path} +${added} -${removed}`),
    ],
    ["Decisions", decisions.map(({ label, answer }) => `- ${label}: ${oneLine(answer)}`)],
    ["Rolled back", rollbacks.map((id) => `- Step ${number(id)}`)],
  ];
  const texts = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([head, lines]) => [head, ...lines].join("\n"));
  return [`Finished: ${oneLine(summary.goal.trim().split("\n")[0] ?? "")}`, ...texts].join("\n\n");
}

/** Checks that neither passed nor failed are counted separately. */
function undecidedWords(checks: readonly CheckResult[]): string {
  const unrun = checks.filter(({ notRun }) => notRun !== undefined).length;
  const late = checks.filter(({ timedOut, notRun }) => timedOut === true && notRun === undefined).length;
  return `${unrun > 0 ? `, ${unrun} could not be run` : ""}${late > 0 ? `, ${late} ran out of time` : ""}`;
}

function passed({ exitCode, timedOut }: CheckResult): boolean {
  return exitCode === 0 && timedOut !== true;
}

function endOf(check: CheckResult): string {
  const { exitCode, timedOut, limitMs, notRun } = check;
  if (notRun !== undefined) return `could not be run: ${oneLine(notRun)}`;
  if (timedOut)
    return `ran out of time${limitMs === undefined ? "" : ` after ${Math.round(limitMs / 1_000)} s`}`;
  if (exitCode === 0) return "passed";
  const how = exitCode === null ? "ended by a signal" : `exit ${exitCode}`;
  return failedBefore(check.before) ? `${how}; failed before too` : how;
}

function stepLine(step: FinishSummary["steps"][number], index: number): string {
  return `${index + 1}. ${step.description}: ${step.status}${noteWords(step)}`;
}

function openWords(open: readonly number[]): string {
  if (open.length === 0) return "- no step was open";
  return `- ${open.length === 1 ? "step" : "steps"} ${open.join(", ")} ${open.length === 1 ? "was" : "were"} open`;
}
