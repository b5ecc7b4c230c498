// Reads a plan that a model submits: arguments, a text in our own form, another text that names steps, or prose without
// steps.
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

/** The state before a plan is submitted. */
export interface Before {
  /** The active plan: new steps that say the same as one of its steps get its id. */
  plan: Plan | null;
  /** The goal for a text that does not name one. */
  goal: string;
}

export const nothingBefore: Before = { plan: null, goal: "" };

/** Body and canonical text for a `set_plan` call; `args` need not be parsed. Problems are for the model. */
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
 * Reads a model's text. Steps are recognised in any form. If there are none, a text without our headings is kept as it
 * is, and one with our headings has a problem that names the line.
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

/** A checkpoint that `set_plan` would accept as a command, for example in backticks, becomes a command that is run. */
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
 * A model's text that becomes the plan in any case (`exit_plan`, a text stop). If it cannot be parsed, or one of its
 * commands contains invisible characters, it is kept as free text with its headings indented by one space, so that no
 * part of it is a command.
 */
export function proposedText(text: string, before: Before = nothingBefore): Extract<PlanText, { ok: true }> {
  const plan = writtenPlan(text, before);
  return plan.ok ? plan : { ok: true, ...capFreeText(asPreamble(wellFormed(text))) };
}

/**
 * A step without an id that has the words of a step in the active plan becomes that step: it gets its id and, if
 * nothing is below it, the text below the known step.
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
