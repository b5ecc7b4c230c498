// Builds the normal form of a plan's content, from a model's input or from a plan file. It contains no text and no
// execution state.
import * as z from "zod/mini";
import { normalTimeout } from "./check-time.ts";
import type { BodyStep } from "./markdown-steps.ts";
import { hiddenCommandProblem, planCommandsOf } from "./plan-commands.ts";
import {
  type Checkpoint,
  type DecisionPoint,
  type PlanBody,
  type PlanCheckpoint,
  PlannedWork,
  type Step,
  type StepInput,
} from "./plan-file.ts";
import { commandText, fewLines, freeId, oneLine, plainId } from "./plan-lines.ts";
import { normaliseQuestion, questionProblem } from "./question-form.ts";

/** A body before normalisation: ids and lists may be missing, and texts may have any form. */
export interface BodyInput {
  goal: string;
  steps: readonly StepInput[];
  decisionPoints?: readonly (string | LooseQuestion)[] | undefined;
  checkpoints?: readonly PlanCheckpoint[] | undefined;
  rollback?: readonly string[] | undefined;
}

/** A question whose id may be missing. */
export type LooseQuestion = Omit<Exclude<DecisionPoint, string>, "id"> & { id?: string | undefined };

export type BuiltBody =
  | { ok: true; body: PlanBody }
  | {
      ok: false;
      problem: string;
      /** A command contains characters that are not visible. */
      hides?: true;
    };

/**
 * Normalises a body: texts on single lines, missing ids filled in (`s1`, `s2`, …), blank entries dropped. A body in
 * normal form does not change. A command with invisible characters is a problem. `done`: ids of finished steps; only a
 * step without an id that says the same gets one of these.
 */
export function buildBody(
  input: BodyInput,
  done: readonly Pick<BodyStep, "id" | "description">[] = [],
): BuiltBody {
  const steps = buildSteps(input.steps, done);
  if (!steps.ok) return steps;
  const points = buildDecisionPoints(input.decisionPoints ?? []);
  if (!points.ok) return points;
  const body: PlanBody = {
    goal: fewLines(input.goal, 2),
    steps: steps.steps,
    decisionPoints: points.points,
    checkpoints: (input.checkpoints ?? []).map(buildCheckpoint).filter((entry) => entry !== undefined),
    rollback: textLines(input.rollback),
  };
  const hidden = hiddenCommandProblem(planCommandsOf(body));
  return hidden === undefined ? { ok: true, body } : { ok: false, problem: hidden, hides: true };
}

/** The content of a plan file, without the fields that only execution sets. */
export function bodyOf(plan: PlannedWork): PlanBody {
  const { goal, decisionPoints, checkpoints, rollback } = plan;
  return { goal, decisionPoints, checkpoints, rollback, steps: plan.steps.map(contentOf) };
}

/**
 * Everything a plan file tells the engine to do, as one text. It is the same for files that differ only in progress.
 */
export function planContent(plan: PlannedWork): string {
  const { goal, steps, decisionPoints, checkpoints, rollback } = bodyOf(z.parse(PlannedWork, plan));
  return JSON.stringify([goal, steps, decisionPoints, checkpoints, rollback]);
}

/** The part of a step that the plan's text contains. */
export function contentOf({
  status: _status,
  note: _note,
  noteBy: _noteBy,
  snapshot: _snapshot,
  ...content
}: Step): BodyStep {
  return content;
}

/** One step in normal form. `id` must already be free and plain. */
export function buildStep(input: StepInput, id: string): BodyStep {
  return {
    id,
    description: oneLine(input.description),
    actions: textLines(input.actions),
    preconditions: textLines(input.preconditions),
    postconditions: textLines(input.postconditions),
    checkpoint: buildCheck(input.checkpoint),
    onFail: input.onFail ?? "ask",
  };
}

/** A command in normal form; null if there is none or it is blank. */
export function buildCheck(checkpoint: Checkpoint | null | undefined): Checkpoint | null {
  const command = commandText(checkpoint?.command ?? "");
  return command === "" ? null : { command, ...normalTimeout(checkpoint?.timeoutMs) };
}

function buildSteps(
  inputs: readonly StepInput[],
  done: readonly Pick<BodyStep, "id" | "description">[],
): { ok: true; steps: BodyStep[] } | { ok: false; problem: string } {
  const given = inputs.map((step) => plainId(step.id ?? ""));
  const twice = given.find((id, index) => id !== "" && given.indexOf(id) !== index);
  if (twice !== undefined) return { ok: false, problem: `the step id ${twice} is used twice` };
  const blank = inputs.findIndex((step) => oneLine(step.description) === "");
  if (blank >= 0) return { ok: false, problem: `step ${blank + 1} has no description` };
  const taken = new Set([...given, ...done.map(({ id }) => id)]);
  const restated = done.filter(({ id }) => !given.includes(id));
  const steps = inputs.map((step, index) => {
    const text = oneLine(step.description);
    const same = given[index] ? -1 : restated.findIndex(({ description }) => description === text);
    const id =
      given[index] || restated.splice(same, same < 0 ? 0 : 1)[0]?.id || freeId("s", taken, index + 1);
    taken.add(id);
    return buildStep(step, id);
  });
  return { ok: true, steps };
}

function buildDecisionPoints(
  inputs: readonly (string | LooseQuestion)[],
): { ok: true; points: DecisionPoint[] } | { ok: false; problem: string } {
  const present = inputs.filter((point) => typeof point !== "string" || oneLine(point) !== "");
  const given = present.map((point) => (typeof point === "string" ? "" : plainId(point.id ?? "")));
  const twice = given.find((id, index) => id !== "" && given.indexOf(id) !== index);
  if (twice !== undefined) return { ok: false, problem: `the decision point id ${twice} is used twice` };
  const taken = new Set(given);
  const points: DecisionPoint[] = [];
  for (const [index, point] of present.entries()) {
    if (typeof point === "string") {
      points.push(oneLine(point));
      continue;
    }
    const id = given[index] || freeId("q", taken, index + 1);
    taken.add(id);
    const question = normaliseQuestion({ ...point, id });
    const problem = questionProblem(question);
    if (problem !== undefined) return { ok: false, problem: `decision point ${index + 1} ${problem}` };
    points.push(question);
  }
  return { ok: true, points };
}

function buildCheckpoint(checkpoint: PlanCheckpoint): PlanCheckpoint | undefined {
  if (typeof checkpoint !== "string") return buildCheck(checkpoint) ?? undefined;
  const text = oneLine(checkpoint);
  return text === "" ? undefined : text;
}

/** Texts on one line each, without blank ones. */
export function textLines(texts: readonly string[] | undefined): string[] {
  return (texts ?? []).map(oneLine).filter((text) => text !== "");
}
