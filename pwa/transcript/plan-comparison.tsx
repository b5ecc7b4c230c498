// A new plan beside the rejected one, step by step: removed, added, changed with both texts. Loaded with the first such
// plan.
import { useMemo } from "preact/hooks";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { InlineCode } from "../components/inline-code.tsx";
import type { OpenSession } from "../session/open-session.ts";
import { rejectedPlan } from "./rejected-plan.ts";
import { stepChanges } from "./step-changes.ts";
import "../styles/plan-comparison.css";

export function PlanComparison({ plan, session }: { plan: Plan; session: OpenSession }) {
  const { entries } = session.settled.value;
  const rejected = useMemo(() => rejectedPlan(entries), [entries]);
  if (rejected === undefined) return null;
  const changes = stepChanges(rejected.steps, plan.steps);
  const goal = rejected.goal !== plan.goal;
  const kept = plan.steps.length - changes.filter(({ kind }) => kind !== "removed").length;
  return (
    <details class="plan-comparison" open>
      <summary>
        Compared with {rejected.version === plan.version ? "what" : `version ${rejected.version}, which`} you
        rejected
        {changes.length === 0 && !goal ? ": no step is different" : ""}
      </summary>
      {goal && <Change word="Goal" before={rejected.goal} after={plan.goal} />}
      <ul>
        {changes.map((change) => (
          <li key={`${change.kind} ${change.id}`} class={change.kind}>
            <Change
              word={`${change.kind === "removed" ? "Removed" : change.kind === "added" ? "Added" : "Changed"} · step ${change.number}`}
              before={change.before}
              after={change.after}
            />
          </li>
        ))}
      </ul>
      {kept > 0 && changes.length > 0 && <p class="muted">{plural(kept, "step")} as before.</p>}
    </details>
  );
}

function Change({
  word,
  before,
  after,
}: {
  word: string;
  before?: string | undefined;
  after?: string | undefined;
}) {
  return (
    <>
      <b>{word}</b>
      {before !== undefined && (
        <del>
          <InlineCode text={before} />
        </del>
      )}
      {after !== undefined && (
        <ins>
          <InlineCode text={after} />
        </ins>
      )}
    </>
  );
}
