// The rows of a transcript: what each of them shows, and how a station (the row of a step) begins. Pure.
import type { ErrorInfo } from "../../shared/errors.ts";
import type { EventMessage, ToolCall, ToolMessage, UserMessage } from "../../shared/message.ts";
import { isUnderWay } from "../../shared/plan/is-active-plan.ts";
import type { Plan, Step, StepStatus } from "../../shared/plan/plan-file.ts";
import type { Decision } from "../../shared/plan/question.ts";
import { stepNumber } from "../../shared/plan/steps.ts";

/** A call and its result; `since`: when the one before it had ended, milliseconds; a read may have begun earlier. */
export interface CallView {
  call: ToolCall;
  result: ToolMessage | undefined;
  since: number;
  /** Where a checkpoint made the call fail: the step's number from 1, 0 = not of a known step, and what came of it. */
  check?: { step: number; how: string } | undefined;
  /** How many equal calls came in a row, of which this is the last; absent = one. */
  tries?: number;
  /** The output of a command whose outcome is unknown. */
  printed?: string | undefined;
  /** For an `explore`: the rounds of its helper so far. */
  rounds?: readonly EventMessage[] | undefined;
  /** For a `propose_plan` that was made: which one it is among those of the history, from 1. */
  proposal?: number | undefined;
}

/** A decision with the question that it answers; undefined if that is not known any more. */
export type Chosen = Decision & { prompt?: string | undefined };

export type Row = { key: string } & (
  | { kind: "user"; message: UserMessage }
  | { kind: "text"; text: string; reasoning: string | undefined; cut: string | undefined }
  | { kind: "looked"; calls: CallView[] }
  | { kind: "call"; view: CallView }
  | { kind: "chose"; decisions: Chosen[]; updates: string[] }
  | { kind: "plan"; plan: Plan; newest: boolean; proposed: boolean }
  | { kind: "finish"; text: string }
  | { kind: "note"; text: string; detail: string | undefined; tone: "quiet" | "bad"; hooks?: string }
  | { kind: "failure"; error: ErrorInfo }
  | {
      kind: "station";
      /** As in the plan that it ran under; undefined if unknown. */
      step: Step | undefined;
      stepId: string;
      /** In that plan, from 1; 0 = not known. */
      number: number;
      /** A different plan or another attempt replaced it before it was over: none of it runs any more. */
      left: boolean;
      status: StepStatus;
      rows: Row[];
      note: string | undefined;
      since: number;
      until: number | undefined;
      /** Between turns, milliseconds: nothing ran, and the time is not the step's. */
      idleMs: number;
      checks: EventMessage[];
    }
);
export type RowOf<K extends Row["kind"]> = Extract<Row, { kind: K }>;

type StationFacts = Pick<RowOf<"station">, "stepId" | "status" | "note" | "since">;

/** A station without rows yet; `plan` = the one it runs under. */
export function newStation(key: string, plan: Plan | null, facts: StationFacts): RowOf<"station"> {
  const number = plan === null ? 0 : stepNumber(plan, facts.stepId);
  const step = plan?.steps[number - 1];
  const nothingYet = { rows: [], until: undefined, idleMs: 0, checks: [], left: false };
  return { key, kind: "station", step, number, ...nothingYet, ...facts };
}

/** The steps that an approved plan has not come to yet. */
export function stationsToCome(plan: Plan | null): RowOf<"station">[] {
  if (plan === null || !isUnderWay(plan.status)) return [];
  const status: StepStatus = "pending";
  return plan.steps
    .filter((step) => step.status === status)
    .map(({ id }) => newStation(`to-come.${id}`, plan, { stepId: id, status, note: undefined, since: 0 }));
}
