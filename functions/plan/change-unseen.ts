// Whether an approved plan was later changed in plan mode, where changes need no permission.
import type { Message } from "../../shared/message.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { beginsPlan, isFinish, isMarker, isOfPlan } from "../../shared/session/history.ts";
import { isApproval } from "../calls/was-approved.ts";
import { planAtEnd } from "./plan-at-end.ts";

/**
 * True where `seen`, the plan at the end of `history`, says something else than the person approved, and nobody asked them.
 * Their own edits, and changes outside plan mode, are as approved as the plan was.
 */
export function changesWhatWasApproved(history: readonly Message[], seen: Plan): boolean {
  const begun = history.findLastIndex((message) => isFinish(message) || beginsPlan(message));
  const from = Math.max(history.findLastIndex(isApproval), lostApproval(history));
  if (from < 0 || from < begun) return false;
  const changed = history.findIndex((message, at) => at > from && isUnasked(message));
  if (changed < 0) return false;
  const approved = planAtEnd(history.slice(0, changed));
  return approved?.markdown !== seen.markdown;
}

/** Of a long history only the end is posted: what its plan was before may have been approved. */
function lostApproval(history: readonly Message[]): number {
  return history.some(isMarker) ? history.findIndex(isOfPlan) : -1;
}

function isUnasked(message: Message): boolean {
  const edited = message.role === "plan" && message.extra.plan.source === "person";
  return isOfPlan(message) && message.mode === "plan" && !edited;
}
