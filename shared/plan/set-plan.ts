// `set_plan` (PROTOCOL 7): its arguments, plans in our own form, and the version that is installed.
import * as z from "zod/mini";
import { isActivePlan, isUnderWay } from "./is-active-plan.ts";
import { isFreeText, parsePlan, proseOf } from "./markdown.ts";
import type { NamedStep } from "./markdown-steps.ts";
import { buildBody } from "./plan-body.ts";
import { capBody, capFreeText } from "./plan-cap.ts";
import { type Plan, type PlanBody, PlanCheckpoint, StepInput } from "./plan-file.ts";
import { QuestionInput } from "./question.ts";
import { wellFormed } from "./scalars.ts";
import { doneSteps } from "./steps.ts";

const text = z.optional(z.string());

/** Goal and steps, or the whole plan as markdown. Accepts what models write: steps and checkpoints as plain texts. */
export const SetPlanArgs = z.object({
  goal: text,
  steps: z.optional(z.array(StepInput)),
  decisionPoints: z.optional(z.array(z.union([z.string(), QuestionInput]))),
  checkpoints: z.optional(z.array(PlanCheckpoint).check(z.describe("run once at the end"))),
  rollback: z.optional(z.array(z.string())),
  markdown: z.optional(z.string().check(z.describe("the plan as text instead"))),
});
export type SetPlanArgs = z.infer<typeof SetPlanArgs>;

export type PlanText =
  | { ok: true; body: PlanBody; markdown: string; truncated?: { kept: number; of: number } }
  | {
      ok: false;
      problem: string;
      /** The line of the markdown, from 1, if the problem is on one line; `problem` also names it. */
      line?: number;
      /** The text is a plan, but one of its commands contains invisible characters. */
      hides?: true;
    };

/**
 * Reads a plan as text in our own form, or takes it verbatim if it has none of our headings. Plan files have this form,
 * and a person's edit may have it. Problems name the line. `takenIds`: ids that steps without one must not get; `known`:
 * see `parsePlan`.
 */
export function markdownPlan(
  markdown: string,
  takenIds: Iterable<string> = [],
  known: readonly NamedStep[] = [],
): PlanText {
  const source = wellFormed(markdown).replace(/^\uFEFF/, "");
  if (isFreeText(source)) return { ok: true, ...capFreeText(source) };
  const parsed = parsePlan(source, takenIds, known);
  if (!parsed.ok) {
    return { ok: false, problem: `line ${parsed.line}: ${parsed.problem}`, line: parsed.line };
  }
  const normal = buildBody(parsed.body);
  return normal.ok ? { ok: true, ...capBody(normal.body, proseOf(source)) } : normal;
}

export interface PlanInstall {
  body: PlanBody;
  markdown: string;
  /** Hex SHA-256 of `markdown`. */
  hash: string;
  source: Plan["source"];
}

/** Whether installing this plan gives up one that was approved. */
export function abandons(previous: Plan, body: PlanBody): boolean {
  return isUnderWay(previous.status) && isOtherPlan(previous, body);
}

/** Whether `body` has nothing in common with `previous`: another goal, and none of its steps. */
export function isOtherPlan(previous: PlanBody, body: PlanBody): boolean {
  return previous.goal !== body.goal && !body.steps.some((step) => previous.steps.some(saysSame(step)));
}

const saysSame = (step: NamedStep) => (other: NamedStep) =>
  other.id === step.id && other.description === step.description;

/**
 * The plan file after `set_plan` or a hand edit: version 1, or the next version, as a draft. A finished step stays
 * finished if its id is kept, unless both the goal and the step have changed. If the previous plan is done or
 * abandoned, only its version number is continued.
 */
export function installPlan(previous: Plan | null, { body, markdown, hash, source }: PlanInstall): Plan {
  const continued = isActivePlan(previous) ? previous : null;
  const done = new Map(doneSteps(continued).map((step) => [step.id, step]));
  const isDone = (step: NamedStep) => {
    const was = done.get(step.id);
    return was && (previous?.goal === body.goal || saysSame(step)(was)) ? was : undefined;
  };
  return {
    version: (previous?.version ?? 0) + 1,
    supersedes: previous?.version ?? null,
    source,
    hash,
    status: "draft",
    round: continued?.round ?? 0,
    markdown,
    goal: body.goal,
    steps: body.steps.map((step) => {
      const { status = "pending", note, noteBy, snapshot } = isDone(step) ?? {};
      return {
        ...step,
        status,
        ...(note === undefined ? {} : { note }),
        ...(noteBy === undefined ? {} : { noteBy }),
        ...(snapshot === undefined ? {} : { snapshot }),
      };
    }),
    decisionPoints: body.decisionPoints,
    checkpoints: body.checkpoints,
    rollback: body.rollback,
    decisions: continued?.decisions ?? [],
    deltas: [],
  };
}
