// The plan that a person rejected, as it was then: if the model only updates the plan, its version number stays the
// same.
import type { Message, ToolCall } from "../../shared/message.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { applyUpdate } from "../../shared/plan/update-plan.ts";
import { isEventOf } from "../../shared/session/history.ts";
import type { Entry } from "../../shared/session/session-state.ts";
import { rejections } from "./proposals.ts";

/** The newest rejected plan after which another was proposed; undefined if there is none among the entries. Pure. */
export function rejectedPlan(entries: readonly Entry[]): Plan | undefined {
  const rejected = rejections(entries);
  const calls = new Map<string, ToolCall>();
  let plan: Plan | undefined;
  let refused: Plan | undefined;
  let found: Plan | undefined;
  for (const [index, entry] of entries.entries()) {
    if (rejected.has(index)) refused = plan;
    // Until another plan is proposed, the rejected one itself is on the screen.
    if (entry.event === "proposal") found = refused;
    if (entry.event !== "message") continue;
    const { message } = entry.data;
    if (message.role === "assistant") for (const call of message.toolCalls ?? []) calls.set(call.id, call);
    plan = message.role === "plan" ? message.extra.plan : plan && updated(plan, message, calls);
  }
  return found;
}

function updated(plan: Plan, message: Message, calls: ReadonlyMap<string, ToolCall>): Plan {
  if (!isEventOf(message, "plan_delta")) return plan;
  const call = calls.get(String(message.extra.event.data.toolCallId));
  try {
    const applied = applyUpdate(plan, JSON.parse(call?.arguments ?? ""));
    return applied.ok ? applied.plan : plan;
  } catch {
    return plan;
  }
}
