// If the settings ask for a second opinion on every plan: requests it when the plan arrives, and says how many points
// it has.
import { useEffect } from "preact/hooks";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { plural } from "../../shared/session/session-summary.ts";
import { settings } from "../app/app-state.ts";
import { asking, askOpinion, opinionOn, reviewerOf } from "../app/second-opinion.ts";
import { openSheet } from "../browser/sheet.ts";
import type { OpenSession } from "../session/open-session.ts";

export function OpinionOffer({ session, plan }: { session: OpenSession; plan: Plan }) {
  const opinion = opinionOn(session, plan);
  const always = settings.value.reviewer?.always === true && reviewerOf(session) !== undefined;
  const asked = asking.value.get(plan.hash);
  useEffect(() => {
    if (always && opinion === undefined && !asked) void askOpinion(session, plan);
  }, [plan.hash, always]);
  if (opinion === undefined && !(always && asked)) return null;
  const open = opinion?.said.points.filter((_, index) => !opinion.taken.includes(index)).length ?? 0;
  const words =
    opinion === undefined
      ? asked?.problem === undefined
        ? "is being asked for"
        : "did not come"
      : open === 0
        ? "nothing open"
        : plural(open, "point");
  return (
    <button type="button" class="fresh-offer opinion-offer" onClick={() => openSheet({ kind: "plan", plan })}>
      <b>Second opinion</b>
      <span class="muted">{words}</span>
    </button>
  );
}
