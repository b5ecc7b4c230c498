// One version of the plan, whole: goal, steps, decisions, checks, rollback.

import type { Plan } from "../../shared/plan/plan-file.ts";
import { Sheet } from "../components/sheet.tsx";
import { Markdown, Words } from "../markdown/markdown.tsx";
import { PlanSteps } from "../transcript/plan-steps.tsx";
import { versionInWords } from "../transcript/plan-words.ts";

const statusWords = {
  draft: "draft",
  proposed: "waiting for you",
  approved: "approved",
  executing: "running",
  done: "done",
  abandoned: "abandoned",
};

interface PlanSheetProps {
  plan: Plan;
  /** What it is to the plan that is in force: `ahead` is a person's edit that was not sent yet. */
  place: "newest" | "older" | "ahead";
  onClose(): void;
}

export function PlanSheet({ plan, place, onClose }: PlanSheetProps) {
  const status = { newest: statusWords[plan.status], older: "replaced since", ahead: "not sent yet" }[place];
  const by = plan.source === "person" ? "edited by you" : "written by the model";
  const checks = plan.checkpoints.map((check) =>
    typeof check === "string" ? check : `\`${check.command}\``,
  );
  return (
    <Sheet title={`Plan · ${versionInWords(plan)}`} subtitle={`${status} · ${by}`} onClose={onClose} tall>
      <div class="plan-whole">
        <h3 class="goal">
          <Words text={plan.goal.replace(/^#+\s*/, "")} />
        </h3>
        {plan.steps.length > 0 ? <PlanSteps steps={plan.steps} full /> : <Markdown text={plan.markdown} />}
        {plan.decisions.length > 0 && (
          <section>
            <h4>Decided</h4>
            {plan.decisions.map((decision) => (
              <p key={decision.id}>
                <span class="muted">{decision.label}:</span> {decision.answer}
              </p>
            ))}
          </section>
        )}
        <Section title="Checked at the end" lines={checks} />
        <Section title="Way back" lines={plan.rollback} />
      </div>
    </Sheet>
  );
}

function Section({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <section>
      <h4>{title}</h4>
      {lines.map((line) => (
        <p key={line}>
          <Words text={line} />
        </p>
      ))}
    </section>
  );
}
