// The kinds of rows in a transcript, and new stations, which are the rows of steps. Pure.
import type { ErrorInfo } from "../../shared/errors.ts";
import type { EventMessage, ToolCall, ToolMessage, UserMessage } from "../../shared/message.ts";
import { isUnderWay } from "../../shared/plan/is-active-plan.ts";
import type { Plan, Step, StepStatus } from "../../shared/plan/plan-file.ts";
import type { Decision } from "../../shared/plan/question.ts";
import { stepNumber } from "../../shared/plan/steps.ts";

/** A call and its result. */
export interface CallView {
  call: ToolCall;
  result: ToolMessage | undefined;
  /** The key of the answer that contains the call. */
  answer: string;
  /** If a checkpoint made the call fail: the step's number from 1 (0 if the step is not known) and its result. */
  check?: { step: number; how: string } | undefined;
  /** The number of equal calls in a row, of which this is the last; absent for one. */
  tries?: number;
  /** The output of a command whose result is unknown. */
  printed?: string | undefined;
  /** For an `explore`: the rounds of its helper so far. */
  rounds?: readonly EventMessage[] | undefined;
  /** For a successful `propose_plan` of an imported history: its number among those calls, from 1. */
  proposal?: number | undefined;
}

/** A decision with its question; undefined if the question is no longer known. */
export type Chosen = Decision & { prompt?: string | undefined };

export type Row = { key: string } & (
  | { kind: "user"; message: UserMessage }
  /** `ends`: it is a whole answer, after which the model called nothing. */
  | { kind: "text"; text: string; reasoning: string | undefined; cut: string | undefined; ends?: boolean }
  | { kind: "looked"; calls: CallView[] }
  | { kind: "call"; view: CallView }
  | { kind: "chose"; decisions: Chosen[]; updates: string[] }
  | { kind: "plan"; plan: Plan; newest: boolean; proposed: boolean }
  | { kind: "finish"; text: string }
  | { kind: "note"; text: string; detail: string | undefined; tone: "quiet" | "bad"; hooks?: string }
  | { kind: "failure"; error: ErrorInfo }
  | {
      kind: "station";
      /** The step in the plan under which it ran; undefined if unknown. */
      step: Step | undefined;
      stepId: string;
      /** The step's number in that plan, from 1; 0 if unknown. */
      number: number;
      /** Another plan or another attempt replaced the step before it ended, so it no longer runs. */
      left: boolean;
      status: StepStatus;
      rows: Row[];
      note: string | undefined;
      since: number;
      until: number | undefined;
      /** The time between turns in milliseconds: nothing ran, so it does not count for the step. */
      idleMs: number;
      checks: EventMessage[];
    }
);
export type RowOf<K extends Row["kind"]> = Extract<Row, { kind: K }>;

type StationFacts = Pick<RowOf<"station">, "stepId" | "status" | "note" | "since">;

/** A station without rows yet; `plan` is the one under which it runs. */
export function newStation(key: string, plan: Plan | null, facts: StationFacts): RowOf<"station"> {
  const number = plan === null ? 0 : stepNumber(plan, facts.stepId);
  const step = plan?.steps[number - 1];
  const nothingYet = { rows: [], until: undefined, idleMs: 0, checks: [], left: false };
  return { key, kind: "station", step, number, ...nothingYet, ...facts };
}

/** The steps that an approved plan has not reached yet. */
export function stationsToCome(plan: Plan | null): RowOf<"station">[] {
  if (plan === null || !isUnderWay(plan.status)) return [];
  const status: StepStatus = "pending";
  return plan.steps
    .filter((step) => step.status === status)
    .map(({ id }) => newStation(`to-come.${id}`, plan, { stepId: id, status, note: undefined, since: 0 }));
}
