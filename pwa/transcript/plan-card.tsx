// A plan in the transcript: the newest one whole, an older one as a line that opens that version.
import { plural } from "../../shared/session/session-summary.ts";
import { Markdown, Words } from "../markdown/markdown.tsx";
import type { OpenSession } from "../state/open-session.ts";
import { openSheet } from "../state/sheet.ts";
import { PlanSteps } from "./plan-steps.tsx";
import type { RowOf } from "./rows.ts";

export function PlanCard({
  row: { plan, newest, proposed },
  session,
}: {
  row: RowOf<"plan">;
  session: OpenSession;
}) {
  const whole = newest && (plan.status === "proposed" || plan.status === "draft");
  const edit = session.draft.value.planEdit;
  const edited = whole && edit !== null && edit.hash === plan.hash && edit.version === plan.version;
  if (!whole) {
    return (
      <div class="row stop">
        <button type="button" class="stop-line" onClick={() => openSheet({ kind: "plan", plan })}>
          <span>
            <b>Plan · version {plan.version}</b>{" "}
            <span class="muted">
              {newest ? (plan.steps.length > 0 ? plural(plan.steps.length, "step") : "") : "replaced since"}
            </span>
          </span>
          <span class="time">
            <span class="chevron" aria-hidden="true" />
          </span>
        </button>
      </div>
    );
  }
  const count = plan.steps.length === 0 ? "" : ` · ${plural(plan.steps.length, "step")}`;
  return (
    <div class="row">
      <article class="card plan" aria-label={`Plan, version ${plan.version}`}>
        <p class="overline">
          {edited
            ? "Plan · edited by you"
            : `Plan · ${proposed ? `version ${plan.version}` : "draft"}${count}`}
        </p>
        {edited ? (
          <Markdown text={edit.markdown} />
        ) : (
          <>
            <h2>
              <Words text={plan.goal.replace(/^#+\s*/, "")} />
            </h2>
            {plan.steps.length > 0 ? (
              <PlanSteps steps={plan.steps} />
            ) : (
              <Markdown text={bodyWithout(plan.markdown, plan.goal)} />
            )}
          </>
        )}
        <button type="button" class="text-button" onClick={() => openSheet({ kind: "plan", plan })}>
          Whole plan
        </button>
      </article>
    </div>
  );
}

/** Text without headings has its first line as goal: not said twice. */
function bodyWithout(markdown: string, goal: string): string {
  const [first = "", ...rest] = markdown.trimStart().split("\n");
  return first.replace(/^#+\s*/, "").trim() === goal.replace(/^#+\s*/, "").trim()
    ? rest.join("\n")
    : markdown;
}
