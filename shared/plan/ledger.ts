// The decision ledger (PROTOCOL 8): the decisions, and how they changed the plan. It is computed, never written by a
// model.
import type { Plan, Step } from "./plan-file.ts";
import { oneLine } from "./plan-lines.ts";
import type { Decision } from "./question.ts";
import { findStep } from "./steps.ts";

/**
 * The differences in content, step by step id: `Step N changed: …`, `Added Step N: …`, `Removed Step N: …`; other parts
 * are listed by name. N is the number in `after`, or in `before` for removed steps. A first plan is only `First version: N
 * steps`, and without differences there is only `No plan changes`. Progress does not count, nor do decision points, whose answers are listed as decisions.
 */
export function planDifference(before: Plan | null, after: Plan | null): string[] {
  if (before === null && after !== null)
    return [`First version: ${after.steps.length} ${after.steps.length === 1 ? "step" : "steps"}`];
  const old = before?.steps ?? [];
  const now = after?.steps ?? [];
  const changes = [
    ...(before && after ? partChanges(before, after) : []),
    ...now.flatMap((step, index) => {
      const was = old.find((other) => other.id === step.id);
      if (!was) return [`Added Step ${index + 1}: ${step.description}`];
      const fields = changedFields(was, step);
      if (fields.length === 0) return [];
      const beside = fields.filter((field) => field !== "text");
      return [
        `Step ${index + 1} changed: ${step.description}${beside.length > 0 ? ` (${beside.join(", ")})` : ""}`,
      ];
    }),
    ...old.flatMap((step, index) =>
      now.some((other) => other.id === step.id) ? [] : [`Removed Step ${index + 1}: ${step.description}`],
    ),
  ];
  return changes.length > 0 ? changes : ["No plan changes"];
}

function partChanges(before: Plan, after: Plan): string[] {
  const parts = [
    ...(before.goal === after.goal ? [] : [`Goal changed: ${oneLine(after.goal)}`]),
    ...(sameData(commonIds(before, after), commonIds(after, before)) ? [] : ["Order of the steps changed"]),
    ...(sameData(before.checkpoints, after.checkpoints) ? [] : ["Checkpoints changed"]),
    ...(sameData(before.rollback, after.rollback) ? [] : ["Rollback changed"]),
  ];
  const free = before.steps.length + after.steps.length === 0;
  return parts.length === 0 && free && before.markdown !== after.markdown ? ["Plan text changed"] : parts;
}

/** Ids of the steps of `plan` that `other` has too, in order. */
function commonIds(plan: Plan, other: Plan): string[] {
  return plan.steps.map(({ id }) => id).filter((id) => findStep(other, id));
}

const fieldWords: readonly (readonly [keyof Step, string])[] = [
  ["description", "text"],
  ["actions", "actions"],
  ["preconditions", "before"],
  ["postconditions", "after"],
  ["checkpoint", "check"],
  ["onFail", "on fail"],
];

/** The parts of a step that differ, named as in the plan's text. */
function changedFields(was: Step, now: Step): string[] {
  return fieldWords.filter(([field]) => !sameData(was[field], now[field])).map(([, word]) => word);
}

/** Compares plan data as JSON; the compared fields contain no optional keys. */
function sameData(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The ledger as a block of text with one line for each entry. */
export function renderLedger(decisions: readonly Decision[], updates: readonly string[]): string {
  return [
    "Decisions",
    ...(decisions.length > 0
      ? decisions.map(({ label, answer }) => `- ${label}: ${oneLine(answer)}`)
      : ["- none"]),
    "",
    "Plan updates",
    ...updates.map((update) => `- ${update}`),
  ].join("\n");
}
