// A plan as a model submits it: arguments, a text in our own form, in any other that names steps, or prose without steps.
import * as z from "zod/mini";
import { argsProblem } from "./args-problem.ts";
import { asNotes, asPreamble, proseOf } from "./markdown.ts";
import { commandIn } from "./ordinary/commands.ts";
import { readOrdinaryPlan } from "./ordinary/read-plan.ts";
import { buildBody, contentOf } from "./plan-body.ts";
import { capBody, capFreeText } from "./plan-cap.ts";
import type { Plan, Step, StepInput } from "./plan-file.ts";
import { oneLine, plainId } from "./plan-lines.ts";
import { wellFormed } from "./scalars.ts";
import { markdownPlan, type PlanText, SetPlanArgs } from "./set-plan.ts";
import { doneSteps } from "./steps.ts";
import { tidySetPlan } from "./tidy-plan-args.ts";

/** What a plan that is submitted continues from. */
export interface Before {
  /** The active plan: its steps lend their ids to those that say the same. */
  plan: Plan | null;
  /** Goal of a text that names none. */
  goal: string;
}

export const nothingBefore: Before = { plan: null, goal: "" };

/** Body and canonical text of the arguments of a `set_plan` call, parsed or not; problems are for the model. */
export function planText(args: unknown, before: Before = nothingBefore): PlanText {
  const parsed = z.safeParse(SetPlanArgs, tidySetPlan(args));
  if (!parsed.success) return { ok: false, problem: argsProblem(parsed.error) };
  const { goal = "", steps = [], markdown = "", decisionPoints, checkpoints, rollback } = parsed.data;
  if (steps.length === 0) {
    if (markdown.trim() !== "") return writtenPlan(markdown, before);
    return { ok: false, problem: "a plan needs `goal` and `steps`, or `markdown`" };
  }
  if (goal.trim() === "")
    return { ok: false, problem: "`goal` must say in one or two lines what the plan is for" };
  const input = { goal, steps, decisionPoints, checkpoints, rollback };
  const built = buildBody(input, doneSteps(before.plan));
  return built.ok ? { ok: true, ...capBody(built.body) } : built;
}

/**
 * A text of a model. Steps are looked for in any form; if there are none, a text without our headings is kept as it is,
 * and one with them has a problem that names the line.
 */
export function writtenPlan(text: string, before: Before = nothingBefore): PlanText {
  const done = doneSteps(before.plan).map(({ id }) => id);
  const own = markdownPlan(text, done, before.plan?.steps);
  if (!own.ok && own.hides) return own;
  if (own.ok && own.body.steps.length > 0) return withEndCommands(own, text);
  const read = readOrdinaryPlan(wellFormed(text).replace(/^\uFEFF/, ""), before.goal);
  if (!read) return own.ok ? withEndCommands(own, text) : own;
  const steps = withKnownIds(read.input.steps, before.plan);
  const built = buildBody({ ...read.input, steps }, doneSteps(before.plan));
  if (built.ok) return { ok: true, ...capBody(built.body, { preamble: "", notes: asNotes(read.notes) }) };
  return built.hides ? built : own;
}

/** Checkpoints that are a command as `set_plan` takes them, in backticks for example, are run and not only read. */
function withEndCommands(own: Extract<PlanText, { ok: true }>, text: string): PlanText {
  const checkpoints = own.body.checkpoints.map((entry) => {
    const command = typeof entry === "string" ? commandIn(entry) : undefined;
    return command === undefined ? entry : { command };
  });
  if (own.truncated || checkpoints.every((entry, index) => entry === own.body.checkpoints[index])) return own;
  const built = buildBody({ ...own.body, checkpoints });
  return built.ok ? { ok: true, ...capBody(built.body, proseOf(wellFormed(text))) } : own;
}

/**
 * Text of a model that becomes the plan whatever its form (`exit_plan`, a text stop). If it cannot be parsed, or
 * contains a command in which something hides, it is kept as free text with its headings indented by one space: no part
 * of it is then a command.
 */
export function proposedText(text: string, before: Before = nothingBefore): Extract<PlanText, { ok: true }> {
  const plan = writtenPlan(text, before);
  return plan.ok ? plan : { ok: true, ...capFreeText(asPreamble(wellFormed(text))) };
}

/**
 * Steps without an id but with the words of a step in the active plan become that step: with its id and, if nothing is
 * below them, with the text below it.
 */
function withKnownIds(steps: readonly StepInput[], plan: Plan | null): StepInput[] {
  const given = new Set(steps.map(({ id }) => plainId(id ?? "")));
  const free = (plan?.steps ?? []).filter(({ id }) => !given.has(id));
  return steps.map((step) => {
    const at = plainId(step.id ?? "") === "" ? free.findIndex((other) => saysSame(step, other)) : -1;
    const known = at < 0 ? undefined : free.splice(at, 1)[0];
    if (!known) return step;
    return isBare(step) ? { ...contentOf(known) } : { ...step, id: known.id };
  });
}

function saysSame(step: StepInput, other: Step): boolean {
  const words = (text: string) =>
    oneLine(text)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
  return words(step.description) === words(other.description);
}

function isBare({
  actions = [],
  preconditions = [],
  postconditions = [],
  checkpoint,
  onFail,
}: StepInput): boolean {
  return (
    actions.length + preconditions.length + postconditions.length === 0 && !checkpoint && onFail === undefined
  );
}
