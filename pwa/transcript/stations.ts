// Assigns stations of the transcript to steps of the active plan.
import type { Plan, Step } from "../../shared/plan/plan-file.ts";
import { isOver } from "../../shared/plan/steps.ts";
import { noteInWords } from "../words/note-words.ts";
import { newStation, type RowOf } from "./rows.ts";

type Station = RowOf<"station">;

export interface StepReport extends Pick<Step, "status" | "note" | "noteBy"> {
  stepId: string;
}

export class Stations {
  /** The station to which new rows belong. */
  current: Station | null = null;
  /** The newest station of each step. In another plan the ids name other steps. */
  readonly #byStep = new Map<string, Station>();

  /** The station of that step; without an id, of the running step. */
  of(stepId: string | undefined): Station | undefined {
    return stepId === undefined ? (this.current ?? undefined) : this.#byStep.get(stepId);
  }

  /** A plan becomes active. Stations of steps that it does not take over from `before` stay unchanged. */
  nextPlan(before: Plan | null, { steps }: Plan): void {
    for (const [id, station] of this.#byStep) {
      const step = steps.find((each) => each.id === id);
      const was = before?.steps.find((each) => each.id === id);
      if (step !== undefined && (step.status !== "pending" || step.description === was?.description))
        continue;
      this.#byStep.delete(id);
      station.left = !isOver(station);
      if (this.current === station) this.current = null;
    }
  }

  /** The plan is over: later reports are about another one. */
  endPlan(): void {
    this.#byStep.clear();
  }

  /** Handles a report made at `time`, in milliseconds. Returns the station that it begins, if it begins one. */
  report(
    { stepId, ...report }: StepReport,
    plan: Plan | null,
    key: string,
    time: number,
  ): Station | undefined {
    const { status } = report;
    if (status === "pending") return undefined;
    const note = noteInWords(report);
    const known = this.#byStep.get(stepId);
    // The engine reports a step that is already active again, to add its snapshot or the reason why it continues.
    if (status === "active" && known === this.current && known?.status === "active") {
      known.note = note ?? known.note;
      return undefined;
    }
    if (status !== "active" && known !== undefined) {
      known.status = status;
      known.note = note ?? known.note;
      known.until = time;
      if (this.current === known) this.current = null;
      return undefined;
    }
    if (known !== undefined) known.left = !isOver(known);
    const station = newStation(key, plan, { stepId, status, note, since: time });
    this.#byStep.set(stepId, station);
    this.current = status === "active" ? station : null;
    return station;
  }
}
