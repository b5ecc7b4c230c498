// A plan that stopped with steps open: how far it came, and what becomes of it.
import type { Plan } from "../../shared/plan/plan-file.ts";
import { currentStep, progressWords, stepNumber } from "../../shared/plan/steps.ts";
import { closeSheet } from "../browser/sheet.ts";
import { closePlan, goOn, skipStep } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { focusComposer } from "./composer.tsx";

export function OpenPlanBar({ session, plan }: { session: OpenSession; plan: Plan }) {
  const stopped = session.settled.value.head.turn?.reason === "stopped";
  const step = currentStep(plan);
  if (step?.status === "failed")
    return <FailedStep session={session} plan={plan} number={stepNumber(plan, step.id)} />;
  return (
    <div class="actions">
      <p class="bar-words whole">{stopped ? stoppedInWords(plan) : openInWords(plan)}</p>
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

interface FailedStepProps {
  session: OpenSession;
  plan: Plan;
  number: number;
}

/** Its check failed and the plan stopped there: once more, without it, with a word from the person, or no further. */
function FailedStep({ session, plan, number }: FailedStepProps) {
  const tell = () => {
    closeSheet();
    focusComposer.value += 1;
  };
  return (
    <>
      <div class="actions">
        <p class="bar-words">{openInWords(plan)}</p>
        <button type="button" class="text-button" onClick={() => closePlan(session, "abandoned")}>
          Leave it
        </button>
        <button type="button" class="text-button" onClick={() => closePlan(session, "done")}>
          Mark as finished
        </button>
      </div>
      <div class="actions">
        <button type="button" class="button quiet" onClick={tell}>
          Tell it…
        </button>
        <button type="button" class="button soft" onClick={() => skipStep(session, number)}>
          Skip
        </button>
        <button type="button" class="button go grow" onClick={() => goOn(session)}>
          Retry
        </button>
      </div>
    </>
  );
}

/** "4 of 7 steps done", and what keeps the next one back. */
export function openInWords(plan: Plan): string {
  const step = currentStep(plan);
  const failed = step?.status === "failed" ? ` Step ${stepNumber(plan, step.id)} failed.` : "";
  return `${progressWords(plan)} steps done.${failed}`;
}

function stoppedInWords(plan: Plan): string {
  return `Stopped after ${progressWords(plan)} steps.`;
}
