// The finish summary of an executed plan (PROTOCOL 7): the data of its `verifier_report` and its text.

import * as z from "zod/mini";
import { type Plan, StepStatus } from "./plan-file.ts";
import { oneLine } from "./plan-lines.ts";
import { Decision } from "./question.ts";
import { isOver } from "./steps.ts";

/** One checkpoint as it ran. `stepId` is absent for one of the whole plan; `exitCode` is null when a signal ended it. */
export const CheckResult = z.object({
  stepId: z.optional(z.string()),
  command: z.string(),
  exitCode: z.nullable(z.number()),
});
export type CheckResult = z.infer<typeof CheckResult>;

/** A changed file with its added and removed lines. */
export const EditedFile = z.object({ path: z.string(), added: z.number(), removed: z.number() });
export type EditedFile = z.infer<typeof EditedFile>;

export const FinishSummary = z.object({
  kind: z.literal("finish"),
  version: z.number(),
  goal: z.string(),
  steps: z.array(
    z.object({ id: z.string(), description: z.string(), status: StepStatus, note: z.optional(z.string()) }),
  ),
  checks: z.array(CheckResult),
  files: z.array(EditedFile),
  decisions: z.array(Decision),
  /** Ids of steps whose work was taken back. */
  rollbacks: z.array(z.string()),
});
export type FinishSummary = z.infer<typeof FinishSummary>;

/** What the engine saw while the plan ran: every check in order, the files changed in all, the steps rolled back. */
export type RunRecord = Pick<FinishSummary, "checks" | "files" | "rollbacks">;

export function finishSummary(plan: Plan, { checks, files, rollbacks }: RunRecord): FinishSummary {
  return {
    kind: "finish",
    version: plan.version,
    goal: plan.goal,
    steps: plan.steps.map(({ id, description, status, note }) => ({
      id,
      description,
      status,
      ...(note === undefined ? {} : { note }),
    })),
    checks,
    files,
    decisions: plan.decisions,
    rollbacks,
  };
}

/** The summary as text: one line an entry, sections without entries left out. */
export function finishText(summary: FinishSummary): string {
  const number = (id: string) => summary.steps.findIndex((step) => step.id === id) + 1;
  const over = summary.steps.filter(isOver).length;
  const passed = summary.checks.filter((check) => check.exitCode === 0).length;
  const sections: [string, string[]][] = [
    [
      `Steps: ${over} of ${summary.steps.length}`,
      summary.steps.map(
        (step, index) =>
          `${index + 1}. ${step.description}: ${step.status}${step.note ? `, ${oneLine(step.note)}` : ""}`,
      ),
    ],
    [
      `Checks: ${passed} of ${summary.checks.length} passed`,
      summary.checks.map(({ stepId, command, exitCode }) => {
        const where = stepId === undefined ? "" : `Step ${number(stepId)}: `;
        return `- ${where}${oneLine(command)}: ${exitCode === 0 ? "passed" : exitCode === null ? "ended by a signal" : `exit ${exitCode}`}`;
      }),
    ],
    [
      `Files: ${summary.files.length} changed`,
      summary.files.map(({ path, added, removed }) => `- ${path} +${added} -${removed}`),
    ],
    ["Decisions", summary.decisions.map(({ label, answer }) => `- ${label}: ${oneLine(answer)}`)],
    ["Rolled back", summary.rollbacks.map((id) => `- Step ${number(id)}`)],
  ];
  const texts = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([head, lines]) => [head, ...lines].join("\n"));
  return [`Finished: ${oneLine(summary.goal)}`, ...texts].join("\n\n");
}
