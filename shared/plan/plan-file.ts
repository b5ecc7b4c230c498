// The plan file (PROTOCOL 7): shapes only. The functions on plans are in the other files of this folder.
import * as z from "zod/mini";
import { Decision, Question } from "./question.ts";

export const StepStatus = z.literal(["pending", "active", "done", "failed", "skipped"]);
export type StepStatus = z.infer<typeof StepStatus>;

export const OnFail = z.literal(["ask", "retry", "rollback", "skip", "stop"]);
export type OnFail = z.infer<typeof OnFail>;

/** `timeoutMs`: the time limit; absent = `checkTimeoutMs`. */
export const Checkpoint = z.object({
  command: z.string(),
  timeoutMs: z.optional(z.number()),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

/** Who wrote a note: the engine, which observed it, or the model, whose claim is unchecked. */
export const NoteBy = z.literal(["engine", "model"]);
export type NoteBy = z.infer<typeof NoteBy>;

export const Step = z.object({
  id: z.string(),
  description: z.string(),
  actions: z.array(z.string()),
  preconditions: z.array(z.string()),
  postconditions: z.array(z.string()),
  checkpoint: z.nullable(Checkpoint),
  onFail: OnFail,
  status: StepStatus,
  note: z.optional(z.string()),
  /** Missing if an earlier version wrote the note. */
  noteBy: z.optional(NoteBy),
  /** Id of the workspace snapshot taken when the step became active. */
  snapshot: z.optional(z.string()),
});
export type Step = z.infer<typeof Step>;

/** A step in a model's input: only `description` is required. */
export const StepInput = z.object({
  id: z.optional(z.string()),
  description: z.string(),
  actions: z.optional(z.array(z.string())),
  preconditions: z.optional(z.array(z.string())),
  postconditions: z.optional(z.array(z.string())),
  checkpoint: z.optional(z.nullable(Checkpoint)),
  onFail: z.optional(OnFail),
});
export type StepInput = z.infer<typeof StepInput>;

/** A change to one step. Absent fields do not change; `status` never changes the plan's hash. */
export const StepChange = z.object({
  id: z.string(),
  status: z.optional(StepStatus),
  description: z.optional(z.string()),
  note: z.optional(z.string()),
  actions: z.optional(z.array(z.string())),
  preconditions: z.optional(z.array(z.string())),
  postconditions: z.optional(z.array(z.string())),
  checkpoint: z.optional(z.nullable(Checkpoint)),
  onFail: z.optional(OnFail),
});
export type StepChange = z.infer<typeof StepChange>;

/** `after`: id of the step that the new one follows; absent = the new step comes last. */
export const AddedStep = z.object({ ...StepInput.shape, after: z.optional(z.string()) });
export type AddedStep = z.infer<typeof AddedStep>;

/** One update of a plan version. Updates are only appended; `seq` counts from 1 within the version. */
export const PlanDelta = z.object({
  seq: z.number(),
  note: z.optional(z.string()),
  goal: z.optional(z.string()),
  steps: z.optional(z.array(StepChange)),
  addSteps: z.optional(z.array(AddedStep)),
  removeSteps: z.optional(z.array(z.string())),
});
export type PlanDelta = z.infer<typeof PlanDelta>;

export const PlanStatus = z.literal(["draft", "proposed", "approved", "executing", "done", "abandoned"]);
export type PlanStatus = z.infer<typeof PlanStatus>;

export const PlanCheckpoint = z.union([z.string(), Checkpoint]);
export type PlanCheckpoint = z.infer<typeof PlanCheckpoint>;

/** A decision point: a question with its options, or a plain line. */
export const DecisionPoint = z.union([z.string(), Question]);
export type DecisionPoint = z.infer<typeof DecisionPoint>;

/** What a plan tells the engine to do, with the progress of its steps. */
export const PlannedWork = z.object({
  goal: z.string(),
  steps: z.array(Step),
  decisionPoints: z.array(DecisionPoint),
  checkpoints: z.array(PlanCheckpoint),
  rollback: z.array(z.string()),
});
export type PlannedWork = z.infer<typeof PlannedWork>;

/**
 * The plan as the phone stores it. `markdown` is the canonical text with updates applied, without status, notes and
 * snapshots; `hash` is its SHA-256 in hex, computed only by the engine.
 */
export const Plan = z.object({
  version: z.number().check(z.int(), z.positive()),
  supersedes: z.nullable(z.number()),
  source: z.literal(["model", "person"]),
  hash: z.string(),
  status: PlanStatus,
  round: z.number().check(z.int(), z.nonnegative()),
  markdown: z.string(),
  ...PlannedWork.shape,
  decisions: z.array(Decision),
  deltas: z.array(PlanDelta),
});
export type Plan = z.infer<typeof Plan>;

/** The part of a plan that its markdown contains: what the model writes and a person edits. */
export type PlanBody = Pick<Plan, "goal" | "decisionPoints" | "checkpoints" | "rollback"> & {
  /** Steps without the fields that only execution sets. */
  steps: Omit<Step, "status" | "note" | "snapshot">[];
};
