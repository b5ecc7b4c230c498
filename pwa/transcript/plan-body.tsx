// The goal and the steps of a plan, as its card shows them.
import type { Plan } from "../../shared/plan/plan-file.ts";
import { goalParts } from "../../shared/session/title.ts";
import { openSheet } from "../browser/sheet.ts";
import { Checks } from "../components/checks.tsx";
import { Clamped } from "../components/clamped.tsx";
import { WholeMarkdown, WholeWords } from "../markdown/whole.tsx";
import { bodyWithoutGoal } from "./body-without-goal.ts";
import { NoSteps } from "./no-steps.tsx";
import { PlanSteps } from "./plan-steps.tsx";

export function PlanBody({ plan }: { plan: Plan }) {
  const { title, rest } = goalParts(plan.goal);
  const atEnd = plan.checkpoints.filter((check) => typeof check !== "string");
  return (
    <>
      <h2>
        <Clamped text={title} />
      </h2>
      {rest !== "" && (
        <p class="plan-rest">
          <WholeWords text={rest} />
        </p>
      )}
      {plan.steps.length > 0 ? (
        <PlanSteps steps={plan.steps} />
      ) : (
        <>
          <NoSteps />
          <WholeMarkdown text={bodyWithoutGoal(plan.markdown, plan.goal)} />
        </>
      )}
      <Checks checks={atEnd} when=" at the end" />
      <button type="button" class="text-button" onClick={() => openSheet({ kind: "plan", plan })}>
        Whole plan
      </button>
    </>
  );
}
