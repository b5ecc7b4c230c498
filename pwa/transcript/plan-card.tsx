// A plan in the transcript: the newest one whole, an older one as a line that opens that version.
import { plural } from "../../shared/session/session-summary.ts";
import { openSheet } from "../browser/sheet.ts";
import { lazy } from "../components/lazy.tsx";
import { keptEdit } from "../session/kept-edit.ts";
import type { OpenSession } from "../session/open-session.ts";
import { foundClass } from "./found-row.ts";
import { PlanBody } from "./plan-body.tsx";
import { versionInWords } from "./plan-words.ts";
import type { RowOf } from "./rows.ts";

const PlanComparison = lazy(() => import("./plan-comparison.tsx").then((module) => module.PlanComparison));
const EditedPlan = lazy(() => import("./edited-plan.tsx").then((module) => module.EditedPlan));

export function PlanCard({ row, session }: { row: RowOf<"plan">; session: OpenSession }) {
  const { plan, newest, proposed } = row;
  const whole = newest && (plan.status === "proposed" || plan.status === "draft");
  const edit = whole ? keptEdit(session.draft.value, plan) : undefined;
  const edited = edit !== undefined;
  const steps = plan.steps.length === 0 ? "" : plural(plan.steps.length, "step");
  if (!whole) {
    return (
      <div class={`row stop${foundClass(row)}`}>
        <button type="button" class="stop-line" onClick={() => openSheet({ kind: "plan", plan })}>
          <span>
            <b>Plan · {versionInWords(plan)}</b>{" "}
            <span class="muted">{newest ? steps : "replaced since"}</span>
          </span>
          <span class="time">
            <span class="chevron" aria-hidden="true" />
          </span>
        </button>
      </div>
    );
  }
  const version = versionInWords(plan);
  // The words for a changed version already fill the line.
  const named = version.includes("·") ? version : `Plan · ${version}`;
  const words = [proposed ? named : "Plan · draft", ...(steps === "" ? [] : [steps])].join(" · ");
  // Outside of plan mode nobody is asked about the plan, so the card says why it has no buttons.
  const { mode, proposal } = session.settled.value.head;
  const open = proposal?.planVersion === plan.version && plan.status === "proposed";
  const setAside = open && mode !== "plan" && session.outbox.value.turn === null;
  return (
    <div class={`row${foundClass(row)}`}>
      <article class="card plan" aria-label={`Plan, version ${plan.version}`}>
        <p class="overline">{edited ? "Plan · edited by you" : words}</p>
        {setAside && <p class="set-aside">Not approved · switch to Plan to decide</p>}
        {edited ? <EditedPlan before={plan} markdown={edit} /> : <PlanBody plan={plan} />}
        {open && (plan.version > 1 || plan.deltas.length > 0) && (
          <PlanComparison plan={plan} session={session} />
        )}
      </article>
    </div>
  );
}
