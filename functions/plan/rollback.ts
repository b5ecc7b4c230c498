// What a rollback (`onFail`) comes to once the sandbox has said whether the files are back: for the round that asked
// for it, and for whoever ends a turn that was stopped meanwhile.
import type { DurableDraft } from "../../shared/event.ts";
import type { Mode } from "../../shared/mode.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { reopenFrom, stepNumber } from "../../shared/plan/steps.ts";
import type { CallResult } from "../../shared/sandbox.ts";
import type { PendingCall } from "../tools/prepared.ts";
import { eventMessage } from "../turn/state.ts";

/** Key of the call that brings the files back behind the checkpoint of `pending`. */
export function rollbackKey(pending: Pick<PendingCall, "key">): string {
  return `${pending.key}/restore`;
}

/** The events that say so, and the words for the model. */
export function rolledBack(
  turn: { plan: Plan | null; mode: Mode },
  pending: PendingCall,
  { stepId, result }: { stepId: string; result: CallResult | undefined },
): { drafts: DurableDraft[]; text: string } {
  const ok = result?.ok ?? false;
  const reopened = ok ? laterReopened(turn.plan, stepId) : undefined;
  const message = eventMessage(turn, {
    id: `${pending.call.id}.rollback`.slice(0, 300),
    at: result?.at ?? pending.at,
    subkind: "verifier_report",
    source: "rollback",
    content: `Files ${ok ? "" : "could not be "}restored to before step ${stepId}.`,
    data: { kind: "rollback", stepId, restored: ok },
  });
  const drafts: DurableDraft[] = [{ event: "message", data: { message } }];
  if (reopened) drafts.push({ event: "plan", data: { plan: reopened } });
  const text = ok
    ? `The files are back as they were before step ${stepId}.${reopened ? " The later steps are open again." : ""} Take another way, or ask.`
    : `Rolling back failed: ${result?.error?.message ?? "no result"}. Call ask_user.`;
  return { drafts, text };
}

/** The plan where later steps had begun: the work of those went with the files, so they are open again. */
function laterReopened(plan: Plan | null, stepId: string): Plan | undefined {
  const later = plan?.steps.slice(stepNumber(plan, stepId)) ?? [];
  if (!plan || !later[0] || later.every(({ status }) => status === "pending")) return undefined;
  return reopenFrom(plan, later[0].id);
}
