// Converts a plan's text into steps that can be edited one by one, and back. Pure: only the text is stored.
import { parsePlan, proseOf, renderPlan } from "../../shared/plan/markdown.ts";
import type { Checkpoint, PlanBody } from "../../shared/plan/plan-file.ts";
import { freeId } from "../../shared/plan/plan-lines.ts";

export type EditedStep = PlanBody["steps"][number];

/**
 * Parses `markdown` into a plan; undefined if it is not a plan with headings, so that it can be edited only as text.
 */
export function bodyOfText(markdown: string, ids: readonly string[]): PlanBody | undefined {
  const parsed = parsePlan(markdown, ids);
  return parsed.ok && markdown.includes("#") ? parsed.body : undefined;
}

/** Writes `body` as text, with everything that `before` said apart from goal and steps. */
export function textOfBody(body: PlanBody, before: string): string {
  return renderPlan(body, proseOf(before));
}

export function withStep(body: PlanBody, id: string, change: Partial<EditedStep>): PlanBody {
  return { ...body, steps: body.steps.map((step) => (step.id === id ? { ...step, ...change } : step)) };
}

export function withoutStep(body: PlanBody, id: string): PlanBody {
  return { ...body, steps: body.steps.filter((step) => step.id !== id) };
}

/** Moves the step up (-1) or down (1) by one place; returns the same body if there is no such place. */
export function withStepMoved(body: PlanBody, id: string, by: -1 | 1): PlanBody {
  const from = body.steps.findIndex((step) => step.id === id);
  const to = from + by;
  const step = body.steps[from];
  if (step === undefined || to < 0 || to >= body.steps.length) return body;
  return { ...body, steps: body.steps.toSpliced(from, 1).toSpliced(to, 0, step) };
}

/** Adds a step at the end, under an id that no step of `ids` had. */
export function withNewStep(
  body: PlanBody,
  description: string,
  ids: readonly string[],
): { body: PlanBody; id: string } {
  const taken = new Set([...ids, ...body.steps.map((step) => step.id)]);
  const id = freeId("s", taken, body.steps.length + 1);
  const step: EditedStep = {
    ...{ id, description, actions: [], preconditions: [], postconditions: [] },
    checkpoint: null,
    onFail: "ask",
  };
  return { body: { ...body, steps: [...body.steps, step] }, id };
}

/** Replaces the command of a check; its time limit stays. A blank command removes the check. */
export function withCommand(check: Checkpoint | null, command: string): Checkpoint | null {
  return command.trim() === "" ? null : { ...check, command };
}

/** The number, from 1, of the first step without text; undefined if every step has some. */
export function wordlessStep(body: PlanBody): number | undefined {
  const at = body.steps.findIndex(({ description }) => description.trim() === "");
  return at < 0 ? undefined : at + 1;
}
