// Stations: the rows of a plan's steps, as they begin and before they do. Pure.
import type { Plan, StepStatus } from "../../shared/plan/plan-file.ts";
import type { RowOf } from "./rows.ts";

type StationFacts = Pick<RowOf<"station">, "stepId" | "status" | "note" | "since">;

/** A station with nothing below it yet; `plan` = where its step is looked up. */
export function newStation(key: string, plan: Plan | null, facts: StationFacts): RowOf<"station"> {
  const step = plan?.steps.find(({ id }) => id === facts.stepId);
  return { key, kind: "station", step, rows: [], until: undefined, checks: [], ...facts };
}

/** The steps that an approved plan has not come to yet. */
export function stationsToCome(plan: Plan | null): RowOf<"station">[] {
  if (plan?.status !== "approved" && plan?.status !== "executing") return [];
  const status: StepStatus = "pending";
  return plan.steps
    .filter((step) => step.status === status)
    .map(({ id }) => newStation(`to-come.${id}`, plan, { stepId: id, status, note: undefined, since: 0 }));
}
