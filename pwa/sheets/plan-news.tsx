// What changed in the plan since the person looked at it whole: in words first, the text on a tap.
import { unifiedDiff } from "../../shared/hashline/diff.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { DiffText } from "../diff/diff-text.tsx";
import { Words } from "../markdown/markdown.tsx";
import type { SeenPlan } from "../storage/draft.ts";
import { changedSinceSeen } from "./plan-facts.ts";

export function PlanNews({ plan, seen }: { plan: Plan; seen: SeenPlan | null }) {
  const changes = changedSinceSeen(plan, seen);
  if (seen === null || changes.length === 0) return null;
  const from = seen.version === plan.version ? "you last looked" : `version ${seen.version}, which you saw`;
  return (
    <section class="plan-news">
      <h3>Changed since {from}</h3>
      <ul>
        {changes.map((change) => (
          <li key={change}>
            <Words text={change === "No plan changes" ? "Only the wording beside the steps." : change} />
          </li>
        ))}
      </ul>
      <details>
        <summary>As text</summary>
        <DiffText text={unifiedDiff(seen.markdown, plan.markdown, "plan", "plan")} />
      </details>
    </section>
  );
}
