// A plan that stopped with steps open: how far it came, and what becomes of it.
import type { Plan } from "../../shared/plan/plan-file.ts";
import { currentStep, progressWords, stepNumber } from "../../shared/plan/steps.ts";
import { closePlan, goOn } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";

export function OpenPlanBar({ session, plan }: { session: OpenSession; plan: Plan }) {
  return (
    <div class="actions">
      <p class="bar-words whole">{openInWords(plan)}</p>
      <button type="button" class="button quiet" onClick={() => closePlan(session, "abandoned")}>
        Leave it
      </button>
      <button type="button" class="button soft" onClick={() => closePlan(session, "done")}>
        Mark as finished
      </button>
      <button type="button" class="button go grow" onClick={() => goOn(session)}>
        Go on
      </button>
    </div>
  );
}

/** "4 of 7 steps done", and what keeps the next one back. */
export function openInWords(plan: Plan): string {
  const step = currentStep(plan);
  const failed = step?.status === "failed" ? ` Step ${stepNumber(plan, step.id)} failed.` : "";
  return `${progressWords(plan)} steps done.${failed}`;
}
