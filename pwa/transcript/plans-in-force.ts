// Finds the plan that applies at an entry of a session: the same step id means different steps in different plans.
// Pure.
import * as z from "zod/mini";
import { FinishSummary } from "../../shared/plan/finish-summary.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { Entry } from "../../shared/session/session-state.ts";

export class PlansInForce {
  readonly #begins: { at: number; plan: Plan }[] = [];
  readonly #finishes: { at: number; summary: FinishSummary }[] = [];

  /** `plan` is the current one. */
  constructor(
    entries: readonly Entry[],
    private readonly plan: Plan | null,
  ) {
    for (const [at, entry] of entries.entries()) {
      if (entry.event !== "message") continue;
      const { message } = entry.data;
      if (message.role === "plan") this.#begins.push({ at, plan: message.extra.plan });
      if (message.role !== "event" || message.extra.event.data.kind !== "finish") continue;
      const { data: summary } = z.safeParse(FinishSummary, message.extra.event.data);
      if (summary !== undefined) this.#finishes.push({ at, summary });
    }
  }

  /** The plan that applied when the entry was written; null if none of the loaded entries names one. */
  at(index: number): Plan | null {
    const begun = this.#begins.findLast(({ at }) => at <= index);
    const next = this.#begins.find(({ at }) => at > index);
    if (next === undefined && (begun === undefined || begun.plan.version === this.plan?.version))
      return this.plan;
    const finish = this.#finishes.find(
      ({ at }) => at >= index && (next === undefined || at < next.at),
    )?.summary;
    if (begun !== undefined) return finish === undefined ? begun.plan : asFinished(begun.plan, finish);
    if (next === undefined) return null;
    if (finish !== undefined) return asFinished({ ...next.plan, steps: [] }, finish);
    // The earlier plan is not loaded. The next version contains those of its steps that were worked on.
    return { ...next.plan, steps: next.plan.steps.filter(({ status }) => status !== "pending") };
  }
}

/** The plan at the end of its run: updates may have changed it since it was installed. */
function asFinished(plan: Plan, finish: FinishSummary): Plan {
  const steps = finish.steps.map(({ id, description, status }) => {
    const step = plan.steps.find((known) => known.id === id);
    if (step !== undefined) return { ...step, description };
    return {
      ...{ id, description, status, checkpoint: null, onFail: "ask" as const },
      ...{ actions: [], preconditions: [], postconditions: [] },
    };
  });
  return { ...plan, steps };
}
