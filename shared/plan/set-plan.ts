// `set_plan` (PROTOCOL 7): its arguments, the text and structure they stand for, and the version they install.
import * as z from "zod/mini";
import { argsProblem } from "./args-problem.ts";
import { isActivePlan, isUnderWay } from "./is-active-plan.ts";
import { asPreamble, isFreeText, parsePlan, preambleOf } from "./markdown.ts";
import { buildBody } from "./plan-body.ts";
import { capBody, capFreeText } from "./plan-cap.ts";
import { type Plan, type PlanBody, PlanCheckpoint, type Step, StepInput } from "./plan-file.ts";
import { QuestionInput } from "./question.ts";
import { wellFormed } from "./scalars.ts";
import { doneSteps } from "./steps.ts";
import { tidySetPlan } from "./tidy-plan-args.ts";

const text = z.optional(z.string());
type Named = Pick<Step, "id" | "description">;

/** Goal and steps, or the whole plan as markdown. Reads what models write: steps and checkpoints as plain texts. */
export const SetPlanArgs = z.pipe(
  z.transform(tidySetPlan),
  z.object({
    goal: text,
    steps: z.optional(z.array(StepInput)),
    decisionPoints: z.optional(z.array(z.union([z.string(), QuestionInput]))),
    checkpoints: z.optional(z.array(PlanCheckpoint).check(z.describe("run once at the end"))),
    rollback: z.optional(z.array(z.string())),
    summary: text,
    markdown: z.optional(z.string().check(z.describe("the whole plan as text, instead of goal and steps"))),
  }),
);
export type SetPlanArgs = z.infer<typeof SetPlanArgs>;

export type PlanText =
  | { ok: true; body: PlanBody; markdown: string; truncated?: { kept: number; of: number } }
  | {
      ok: false;
      problem: string;
      /** Of the markdown, from 1, where the problem is one of a line; `problem` names it too. */
      line?: number;
      /** It reads as a plan, but a command of it does not show whole. */
      hides?: true;
    };

/**
 * Body and canonical text of the arguments of a `set_plan` call, parsed or not; problems are for the model.
 * `done`: steps of the plan so far that are done. A step without an id is one of them only where it says the same.
 */
export function planText(args: unknown, done: readonly Named[] = []): PlanText {
  const parsed = z.safeParse(SetPlanArgs, args);
  if (!parsed.success) return { ok: false, problem: argsProblem(parsed.error) };
  const { goal = "", steps = [], markdown = "", decisionPoints, checkpoints, rollback } = parsed.data;
  if (steps.length === 0) {
    if (markdown.trim() !== "") {
      return markdownPlan(
        markdown,
        done.map(({ id }) => id),
      );
    }
    return { ok: false, problem: "a plan needs `goal` and `steps`, or `markdown`" };
  }
  if (goal.trim() === "")
    return { ok: false, problem: "`goal` must say in one or two lines what the plan is for" };
  const built = buildBody({ goal, steps, decisionPoints, checkpoints, rollback }, done);
  return built.ok ? { ok: true, ...capBody(built.body) } : built;
}

/**
 * A plan given as text, by a model or a person's edit: canonical where it has our headings, verbatim otherwise. Problems name the line.
 * `takenIds`: ids that steps without one must not get.
 */
export function markdownPlan(markdown: string, takenIds: Iterable<string> = []): PlanText {
  const source = wellFormed(markdown).replace(/^\uFEFF/, "");
  if (isFreeText(source)) return { ok: true, ...capFreeText(source) };
  const parsed = parsePlan(source, takenIds);
  if (!parsed.ok) {
    return { ok: false, problem: `line ${parsed.line}: ${parsed.problem}`, line: parsed.line };
  }
  const normal = buildBody(parsed.body);
  return normal.ok ? { ok: true, ...capBody(normal.body, preambleOf(source)) } : normal;
}

/**
 * Text of a model that is to be the plan whatever its form (`exit_plan`, a text stop). Where it has
 * our headings and does not parse, or holds a command in which something hides, it is kept as free text, its headings
 * moved in by one space: nothing of it is a command then.
 */
export function proposedText(text: string): Extract<PlanText, { ok: true }> {
  const plan = markdownPlan(text);
  return plan.ok ? plan : { ok: true, ...capFreeText(asPreamble(wellFormed(text))) };
}

export interface PlanInstall {
  body: PlanBody;
  markdown: string;
  /** Hex SHA-256 of `markdown`. */
  hash: string;
  source: Plan["source"];
}

/** Whether a plan that was approved is given up for this one: another goal, and not one of its steps in it. */
export function abandons(previous: Plan, body: PlanBody): boolean {
  return (
    isUnderWay(previous.status) &&
    previous.goal !== body.goal &&
    !body.steps.some((step) => previous.steps.some(saysSame(step)))
  );
}

const saysSame = (step: Named) => (other: Named) =>
  other.id === step.id && other.description === step.description;

/**
 * The plan file after `set_plan` or a hand edit: version 1, or the next one, as a draft. Steps that were done stay
 * so under the same id, unless goal and step both say something else now; a plan that is done or abandoned hands
 * on nothing but its number.
 */
export function installPlan(previous: Plan | null, { body, markdown, hash, source }: PlanInstall): Plan {
  const continued = isActivePlan(previous) ? previous : null;
  const done = new Map(doneSteps(continued).map((step) => [step.id, step]));
  const isDone = (step: Named) => {
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
      const { status = "pending", note, snapshot } = isDone(step) ?? {};
      return {
        ...step,
        status,
        ...(note === undefined ? {} : { note }),
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
