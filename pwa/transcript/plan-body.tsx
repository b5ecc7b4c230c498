// What a plan is about and its steps, as its card shows them.
import type { Plan } from "../../shared/plan/plan-file.ts";
import { openSheet } from "../browser/sheet.ts";
import { Command } from "../components/command.tsx";
import { Markdown, Words } from "../markdown/markdown.tsx";
import { NoSteps } from "./no-steps.tsx";
import { PlanSteps } from "./plan-steps.tsx";

export function PlanBody({ plan }: { plan: Plan }) {
  return (
    <>
      <h2>
        <Words text={plan.goal.replace(/^#+\s*/, "")} />
      </h2>
      {plan.steps.length > 0 ? (
        <PlanSteps steps={plan.steps} />
      ) : (
        <>
          <NoSteps />
          <Markdown text={bodyWithout(plan.markdown, plan.goal)} />
        </>
      )}
      {plan.checkpoints.map(
        (check, index) =>
          typeof check !== "string" && (
            <p key={index} class="step-note">
              checked at the end by <Command text={check.command} />
            </p>
          ),
      )}
      <button type="button" class="text-button" onClick={() => openSheet({ kind: "plan", plan })}>
        Whole plan
      </button>
    </>
  );
}

/** Text without headings has its first line as goal: not said twice. */
function bodyWithout(markdown: string, goal: string): string {
  const [first = "", ...rest] = markdown.trimStart().split("\n");
  return first.replace(/^#+\s*/, "").trim() === goal.replace(/^#+\s*/, "").trim()
    ? rest.join("\n")
    : markdown;
}
