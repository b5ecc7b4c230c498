// Whether the person asked for commits: in their own words, or in a plan that they approved.
import { asksForCommits, commitsAsked } from "../../shared/asks-for-commits.ts";
import type { Message } from "../../shared/message.ts";
import type { ToolTurn } from "./tool-turn.ts";
import { isApproval, wasApproved } from "./was-approved.ts";

/** Where to look for it. */
interface SaidTurn {
  env: Pick<ToolTurn["env"], "grants"> & { request: { turnId: string } };
  state: Pick<ToolTurn["state"], "history" | "plan">;
}

/** Words of earlier turns count where the sandbox's journal has them: a history that is posted may come from a file. */
export function personAsksForCommits({
  env: { grants, request },
  state: { history, plan },
}: SaidTurn): boolean {
  const ofTurn = `${request.turnId}.`;
  return (
    grants.some(({ risk }) => risk === commitsAsked) ||
    history.some(
      ({ role, id, content }) => role === "user" && id.startsWith(ofTurn) && asksForCommits(content),
    ) ||
    (wasApproved(plan, history) && asksForCommits(approvedText(history)))
  );
}

/** The plan as it was approved. Later changes by the model, and plans it begins itself in auto mode, do not count as the person's words. */
function approvedText(history: readonly Message[]): string {
  const at = history.findLastIndex(isApproval);
  // The approval may have been left out of a long history; nobody approves what is written in auto mode.
  const version = history.findLast(
    (message, index) => message.role === "plan" && (at < 0 ? message.mode !== "auto" : index < at),
  );
  return version?.role === "plan" ? version.extra.plan.markdown : "";
}
