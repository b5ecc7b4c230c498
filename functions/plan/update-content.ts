// What `update_plan` changes of a plan's content: the new text with its hash, the hidden delta, and the fold of long deltas.
import type { Plan } from "../../shared/plan/plan-file.ts";
import { foldPlan, needsFold } from "../../shared/plan/update-plan.ts";
import type { PendingCall } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { planMessageId } from "../context/plan-view.ts";
import { sha256Hex } from "../sha256.ts";
import { planFold } from "./history-facts.ts";
import { planMessage } from "./installing.ts";

/** Id of the hidden delta that a call leaves. */
export function deltaId({ call }: PendingCall): string {
  return `${call.id}.delta`.slice(0, 300);
}

/** Installs the changed plan with its hash and a hidden delta message; folds deltas that have grown too long. */
export async function changeContent(
  turn: ToolTurn,
  pending: PendingCall,
  changed: Plan,
  delta: { contentChanged: boolean; seq: number; text: string },
): Promise<void> {
  const hash = delta.contentChanged ? await sha256Hex(changed.markdown) : changed.hash;
  // Changed in plan mode, a plan under way becomes a draft again and has to be proposed again.
  const status = delta.contentChanged && turn.state.mode === "plan" ? "draft" : changed.status;
  turn.emit({ event: "plan", data: { plan: { ...changed, hash, status } } });
  turn.note({
    id: deltaId(pending),
    at: pending.at,
    subkind: "plan_delta",
    source: "update_plan",
    content: delta.text,
    data: { seq: delta.seq, version: changed.version, toolCallId: pending.call.id },
  });
  if (turn.state.plan && needsFold(turn.state.plan)) fold(turn, pending, turn.state.plan);
}

function fold(turn: ToolTurn, pending: PendingCall, long: Plan): void {
  const plan = foldPlan(long);
  turn.emit({ event: "plan", data: { plan } });
  const kept = planMessage(plan, `${planMessageId(pending.call.id)}.fold`.slice(0, 300), {
    at: pending.at,
    mode: turn.state.mode,
  });
  turn.emit({ event: "message", data: { message: kept } });
  const text = `The updates of version ${long.version} had grown long and were folded into version ${plan.version}.`;
  turn.note({
    id: `${pending.call.id}.fold`.slice(0, 300),
    at: pending.at,
    subkind: "system_notice",
    source: planFold,
    content: text,
  });
}
