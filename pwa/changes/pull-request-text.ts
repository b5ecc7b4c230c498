// Writes the title and text of a pull request immediately and without a model, from the plan, its decisions, and its
// checks with their results. Pure.

import * as z from "zod/mini";
import { FinishSummary } from "../../shared/plan/finish-summary.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { Entry } from "../../shared/session/session-state.ts";
import { goalParts, titleOfGoal } from "../../shared/session/title.ts";

const titleChars = 72;

interface PlanForPull {
  goal: string;
  steps: readonly Pick<Plan["steps"][number], "description" | "status">[];
  decisions: readonly Pick<Plan["decisions"][number], "label" | "answer">[];
}

type RanCheck = Pick<FinishSummary["checks"][number], "command" | "exitCode" | "timedOut" | "notRun">;

/** The results of the checks of the newest finished plan; empty if the loaded history has no finished plan. */
export function ranChecks(entries: readonly Entry[]): RanCheck[] {
  for (const { event, data } of entries.toReversed()) {
    if (event !== "message" || data.message.role !== "event") continue;
    const summary = z.safeParse(FinishSummary, data.message.extra.event.data);
    if (summary.success) return summary.data.checks;
  }
  return [];
}

/**
 * `subjects` are those of the branch's commits, newest first. If there is no plan and only one commit, its subject is
 * the title.
 */
export function draftedPull(
  plan: PlanForPull | null,
  title: string,
  checks: readonly RanCheck[],
  subjects: readonly string[],
): { title: string; body: string } {
  const [only = ""] = subjects.length === 1 ? subjects : [];
  const steps = (plan?.steps ?? []).filter(({ status }) => status === "done");
  const open = (plan?.steps ?? []).filter(({ status }) => status !== "done" && status !== "skipped");
  const commits = plan === null && subjects.length > 1 ? subjects.toReversed() : [];
  const goal = goalParts(plan?.goal ?? "");
  const first = titleOfGoal(goal.title) ?? (goal.title || only || title);
  const parts = [
    goal.rest,
    list("What was done", [...steps.map(({ description }) => plain(description)), ...commits.map(plain)]),
    list(
      "Decisions",
      (plan?.decisions ?? []).map(({ label, answer }) => `${plain(label)}: ${plain(answer)}`),
    ),
    list("Checks", checks.map(checkLine)),
    list(
      "Not done",
      open.map(({ description }) => plain(description)),
    ),
  ];
  return { title: shortened(plain(first)), body: parts.filter(Boolean).join("\n\n") };
}

function list(head: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `## ${head}\n\n${lines.map((line) => `- ${line}`).join("\n")}`;
}

function checkLine({ command, exitCode, timedOut, notRun }: RanCheck): string {
  const result =
    notRun !== undefined
      ? "not run"
      : timedOut
        ? "ended by its time limit"
        : exitCode === 0
          ? "passed"
          : `failed (exit ${exitCode ?? "by a signal"})`;
  const fence = command.includes("`") ? "``" : "`";
  return `${fence}${command.replace(/\s+/g, " ")}${fence}: ${result}`;
}

function plain(text: string): string {
  return text
    .replace(/^#+\s*/, "")
    .replace(/\s+/g, " ")
    .trim();
}

function shortened(text: string): string {
  const line = text.replaceAll("`", "");
  if (line.length <= titleChars) return line;
  const cut = line.slice(0, titleChars - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), titleChars / 2))}…`;
}
