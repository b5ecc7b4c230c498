// The buttons for the plan that is shown, in reach of a thumb.
import { plural } from "../../shared/session/session-summary.ts";
import { waitingFor } from "../../shared/session/waiting.ts";
import { openSheet } from "../browser/sheet.ts";
import { ApproveSplit } from "../components/approve-split.tsx";
import { FreshOffer } from "../components/fresh-offer.tsx";
import { OpenPlanBar } from "../components/open-plan-bar.tsx";
import { startApproved } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";
import { commentCount } from "../session/plan-comments.ts";

/**
 * The buttons for the active plan, or with `edited` for the person's edit of it; undefined if there is nothing to
 * decide, if a turn runs, or if this tab does not write.
 */
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
  const comments = commentCount(session, waiting.plan);
  if (comments > 0) {
    // The comments are sent with either decision.
    return (
      <div class="actions">
        {edited && edit}
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
      <FreshOffer session={session} plan={plan} />
    </div>
  );
}
