// Brings plan arguments, as models write them, closer to the form that their schemas expect. The schemas then check the
// result.
import { isRecord } from "../is-record.ts";
import { commandIn } from "./ordinary/commands.ts";
import { tidyQuestion } from "./question-form.ts";

/** The arguments of `set_plan`. A value that is not an object does not change. */
export function tidySetPlan(args: unknown): unknown {
  if (!isRecord(args)) return args;
  return withoutNulls({
    ...args,
    steps: mapList(args.steps, tidyStep),
    decisionPoints: mapList(asList(args.decisionPoints), (point) =>
      typeof point === "string" ? point : tidyQuestion(point),
    ),
    checkpoints: mapList(asList(args.checkpoints), tidyEndCheck),
    rollback: asList(args.rollback),
  });
}

/** The arguments of `update_plan`. */
export function tidyUpdatePlan(args: unknown): unknown {
  if (!isRecord(args)) return args;
  return withoutNulls({
    ...args,
    steps: mapList(asList(args.steps), tidyChange),
    addSteps: mapList(asList(args.addSteps), tidyStep),
    removeSteps: asList(args.removeSteps),
  });
}

function tidyStep(step: unknown): unknown {
  if (typeof step === "string") return { description: step };
  if (!isRecord(step)) return step;
  return withoutNulls({
    ...step,
    id: tidyId(step.id),
    description: step.description ?? step.title ?? step.text,
    actions: asList(step.actions),
    preconditions: asList(step.preconditions),
    postconditions: asList(step.postconditions),
    checkpoint: tidyCheckpoint(step.checkpoint),
  });
}

function tidyChange(change: unknown): unknown {
  if (!isRecord(change)) return change;
  const tidy = withoutNulls({
    ...change,
    id: tidyId(change.id),
    actions: asList(change.actions),
    preconditions: asList(change.preconditions),
    postconditions: asList(change.postconditions),
  });
  // Here null removes the checkpoint, so it is kept.
  return "checkpoint" in change ? { ...tidy, checkpoint: tidyCheckpoint(change.checkpoint) } : tidy;
}

function tidyId(id: unknown): unknown {
  return typeof id === "number" ? String(id) : id;
}

/**
 * The tool's description says that these checks run. A text that names a command becomes a command; prose stays prose.
 */
function tidyEndCheck(check: unknown): unknown {
  const command = typeof check === "string" ? commandIn(check) : undefined;
  return command === undefined ? check : { command };
}

function tidyCheckpoint(checkpoint: unknown): unknown {
  if (typeof checkpoint !== "string") return checkpoint;
  return checkpoint.trim() === "" ? null : { command: checkpoint };
}

/** In place of a list, a text becomes a list of its lines, and an object a list with one entry. */
function asList(value: unknown): unknown {
  if (typeof value === "string") return value.trim() === "" ? [] : value.split("\n");
  return isRecord(value) ? [value] : value;
}

function mapList(value: unknown, tidy: (entry: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map(tidy) : value;
}

function withoutNulls(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== null && value !== undefined),
  );
}
