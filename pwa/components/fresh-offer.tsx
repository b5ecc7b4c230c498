// Below the approve button: whether the plan starts with a clean context, and how much that saves.
import type { Plan } from "../../shared/plan/plan-file.ts";
import { savedByFresh, startsFresh } from "../app/starts-fresh.ts";
import { figuresInWords } from "../session/fresh-context.ts";
import { approveSeen } from "../session/intents.ts";
import type { OpenSession } from "../session/open-session.ts";

export function FreshOffer({ session, plan }: { session: OpenSession; plan: Plan }) {
  const figures = savedByFresh(session, plan);
  if (figures === undefined) return null;
  const byItself = startsFresh(session);
  return (
    <button
      type="button"
      class="fresh-offer"
      onClick={() => approveSeen(session, "normal", { fresh: !byItself })}
    >
      <b>{byItself ? "Approve with all that was read" : "Approve and start fresh"}</b>
      <span class="muted">
        {byItself && "Over half of the context is used, so it starts fresh: "}
        {figuresInWords(figures)}
      </span>
    </button>
  );
}
