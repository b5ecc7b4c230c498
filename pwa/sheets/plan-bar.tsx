// What can be done with the plan that is shown, in thumb reach of its sheet.
import { plural } from "../../shared/session/session-summary.ts";
import { waitingFor } from "../../shared/session/waiting.ts";
import { openSheet } from "../browser/sheet.ts";
import { ApproveSplit } from "../components/approve-split.tsx";
import { OpenPlanBar } from "../components/open-plan-bar.tsx";
import { startApproved, stepCommentsOf } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";

/** For the plan in force, or with `edited` the person's edit of it; undefined where it is done, or another tab writes. */
export function planBar(session: OpenSession, edited: boolean) {
  const { plan } = session.settled.value.head;
  if (plan === null || !session.writes.value || session.outbox.value.turn !== null) return undefined;
  const waiting = waitingFor(session.settled.value);
  const edit = (
    <button type="button" class="button soft" onClick={() => openSheet({ kind: "edit-plan", plan })}>
      Edit
    </button>
  );
  if (waiting.kind === "approved") {
    return (
      <div class="actions">
        {edit}
        <button type="button" class="button go grow" onClick={() => startApproved(session)}>
          Start
        </button>
      </div>
    );
  }
  if (waiting.kind === "open") return <OpenPlanBar session={session} plan={plan} />;
  if (waiting.kind !== "proposal") return undefined;
  // Comments are about the version that was proposed.
  const comments = edited ? 0 : stepCommentsOf(session, plan).length;
  if (comments > 0) {
    return (
      <div class="actions">
        <button type="button" class="button quiet" onClick={() => openSheet({ kind: "approve" })}>
          Approve…
        </button>
        <button type="button" class="button plan grow" onClick={() => openSheet({ kind: "reject" })}>
          Reject with {plural(comments, "comment")}
        </button>
      </div>
    );
  }
  return (
    <div class="actions">
      <button type="button" class="button quiet" onClick={() => openSheet({ kind: "reject" })}>
        Reject
      </button>
      {edit}
      <ApproveSplit session={session} />
    </div>
  );
}
