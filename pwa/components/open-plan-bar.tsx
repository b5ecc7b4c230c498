// For a plan that stopped with open steps: its progress, and the ways to continue or end it.
import type { Message } from "../../shared/message.ts";
import { checkLimitMs } from "../../shared/plan/check-time.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { currentStep, progressWords, stepNumber } from "../../shared/plan/steps.ts";
import { undecidedEnds } from "../../shared/plan/undecided-ends.ts";
import { messagesOf } from "../../shared/session/history.ts";
import { closeSheet } from "../browser/sheet.ts";
import { lastCheckNotRun } from "../session/check-facts.ts";
import { closePlan, continuePlan, skipStep } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { focusComposer } from "./composer.tsx";

export function OpenPlanBar({ session, plan }: { session: OpenSession; plan: Plan }) {
  const stopped = session.settled.value.head.turn?.reason === "stopped";
  const step = currentStep(plan);
  if (step?.status === "failed")
    return <FailedStep session={session} plan={plan} number={stepNumber(plan, step.id)} />;
  // Continuing runs that check immediately.
  const { entries } = session.settled.value;
  const notRun =
    step === undefined
      ? undecidedInWords(plan, messagesOf(entries))
      : step.status === "active" && lastCheckNotRun(entries, step.id)
        ? `The check of step ${stepNumber(plan, step.id)} could not be run.`
        : undefined;
  const words = stopped ? stoppedInWords(plan) : openInWords(plan);
  return (
    <div class="actions">
      <p class="bar-words whole">{notRun === undefined ? words : `${words} ${notRun}`}</p>
      <button type="button" class="button quiet" onClick={() => closePlan(session, "abandoned")}>
        Close plan
      </button>
      <button type="button" class="button soft" onClick={() => closePlan(session, "done")}>
        Mark done
      </button>
      <button type="button" class="button go grow" onClick={() => continuePlan(session)}>
        {notRun === undefined ? "Go on" : "Retry"}
      </button>
    </div>
  );
}

interface FailedStepProps {
  session: OpenSession;
  plan: Plan;
  number: number;
}

/**
 * The plan stopped because a step's check failed: the person can retry the step, skip it, tell the model something, or
 * stop here.
 */
function FailedStep({ session, plan, number }: FailedStepProps) {
  const tell = () => {
    closeSheet();
    focusComposer.value += 1;
  };
  return (
    <>
      <div class="actions">
        <p class="bar-words">{openInWords(plan)}</p>
        <div class="actions">
          <button type="button" class="text-button" onClick={() => closePlan(session, "abandoned")}>
            Close plan
          </button>
          <button type="button" class="text-button" onClick={() => closePlan(session, "done")}>
            Mark done
          </button>
        </div>
      </div>
      <div class="actions">
        <button type="button" class="button quiet" onClick={tell}>
          Tell it…
        </button>
        <button type="button" class="button soft" onClick={() => skipStep(session, number)}>
          Skip
        </button>
        <button type="button" class="button go grow" onClick={() => continuePlan(session)}>
          Retry
        </button>
      </div>
    </>
  );
}

/** For example "4 of 7 steps done", and why the next step has not begun. */
export function openInWords(plan: Plan): string {
  if (plan.steps.length === 0) return "The plan has no steps: you say when it is finished.";
  const step = currentStep(plan);
  const failed = step?.status === "failed" ? ` Step ${stepNumber(plan, step.id)} failed.` : "";
  return `${stepsInWords(plan)} done.${failed}`;
}

/** For example "4 of 7 steps". */
function stepsInWords(plan: Plan): string {
  return `${progressWords(plan)} ${plan.steps.length === 1 ? "step" : "steps"}`;
}

/**
 * Says which checks of the whole plan neither passed nor failed although all steps are over; undefined if there are
 * none.
 */
function undecidedInWords(plan: Plan, history: readonly Message[]): string | undefined {
  const said = undecidedEnds(plan, history).flatMap(({ check, number, how, limitMs }) => {
    if (how === "not_begun") return [];
    return how === "not_run"
      ? [`The plan's check ${number} could not be run.`]
      : [
          `The plan's check ${number} ran out of time after ${limitMs / 1_000} s; Retry gives it ${checkLimitMs(check) / 1_000} s.`,
        ];
  });
  return said.length === 0 ? undefined : said.join(" ");
}

function stoppedInWords(plan: Plan): string {
  return plan.steps.length === 0 ? "Stopped." : `Stopped after ${stepsInWords(plan)}.`;
}
