// What `update_plan` changes of a plan's content: the new text with its hash, the hidden delta, and the fold of long deltas.
import type { Plan } from "../../shared/plan/plan-file.ts";
import { foldPlan, needsFold } from "../../shared/plan/update-plan.ts";
import { planMessageId } from "../context/plan-view.ts";
import type { PendingCall } from "../tools/prepared.ts";
import { emit, emitEvent, type TurnState } from "../turn/state.ts";
import { sha256Hex } from "./hash.ts";
import { planMessage } from "./installing.ts";

/** Id of the hidden delta that a call leaves. */
export function deltaId({ call }: PendingCall): string {
  return `${call.id}.delta`.slice(0, 300);
}

/** Puts the changed plan in force, with its hash and the hidden delta; folds deltas that have grown too long. */
export async function changeContent(
  state: TurnState,
  pending: PendingCall,
  changed: Plan,
  delta: { contentChanged: boolean; seq: number; text: string },
): Promise<void> {
  const hash = delta.contentChanged ? await sha256Hex(changed.markdown) : changed.hash;
  // While planning, a plan that was under way is a draft again: it has to be proposed anew.
  const status = delta.contentChanged && state.mode === "plan" ? "draft" : changed.status;
  emit(state, { event: "plan", data: { plan: { ...changed, hash, status } } });
  emitEvent(state, {
    id: deltaId(pending),
    at: pending.at,
    subkind: "plan_delta",
    source: "update_plan",
    content: delta.text,
    data: { seq: delta.seq, version: changed.version, toolCallId: pending.call.id },
  });
  if (state.plan && needsFold(state.plan)) fold(state, pending, state.plan);
}

function fold(state: TurnState, pending: PendingCall, long: Plan): void {
  const plan = foldPlan(long);
  emit(state, { event: "plan", data: { plan } });
  const kept = planMessage(plan, `${planMessageId(pending.call.id)}.fold`.slice(0, 300), {
    at: pending.at,
    mode: state.mode,
  });
  emit(state, { event: "message", data: { message: kept } });
  const text = `The updates of version ${long.version} had grown long and were folded into version ${plan.version}.`;
  emitEvent(state, {
    id: `${pending.call.id}.fold`.slice(0, 300),
    at: pending.at,
    subkind: "system_notice",
    source: "plan_fold",
    content: text,
  });
}
