// Plans and proposals as the history holds them: installed, proposed in an older form, rejected. Pure.

import * as z from "zod/mini";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { approvalText } from "../../shared/session/approval-text.ts";
import type { Entry } from "../../shared/session/session-state.ts";
import type { CallView } from "./rows.ts";

/** The plan of that version as it was installed; undefined where it is not among the entries. */
export function planMessage(entries: readonly Entry[], version: number): Plan | undefined {
  for (const entry of entries) {
    if (entry.event !== "message" || entry.data.message.role !== "plan") continue;
    if (entry.data.message.extra.plan.version === version) return entry.data.message.extra.plan;
  }
  return undefined;
}

const OlderProposal = z.object({
  success: z.boolean(),
  planPath: z.optional(z.string()),
  planContent: z.optional(z.string()),
  version: z.optional(z.number()),
});
export type OlderProposal = z.infer<typeof OlderProposal>;

/** undefined if the call did not propose a plan. */
export function olderProposal({ call, result }: CallView): OlderProposal | undefined {
  if (call.name !== "propose_plan" || result === undefined || !result.ok) return undefined;
  try {
    const parsed = z.safeParse(OlderProposal, JSON.parse(result.content.replace(/\n?\[meta\][^\n]*$/, "")));
    return parsed.success && parsed.data.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The rejected version, by the index of the user message that stands for it. The engine opens such a turn
 * with the plan as a draft: a `plan` event is no entry but takes an id, and that gap tells a rejection from
 * a message. A gap before a plan message is an edit by hand.
 */
export function rejections(entries: readonly Entry[]): Map<number, number> {
  const rejected = new Map<number, number>();
  let proposed: number | undefined;
  let drafted = false;
  let planning = false;
  let last: Entry | undefined;
  for (const [index, entry] of entries.entries()) {
    if (entry.event === "turn.started") {
      drafted = false;
      planning = entry.data.mode === "plan";
    }
    const role = entry.event === "message" ? entry.data.message.role : undefined;
    if (last?.turnId === entry.turnId && entry.id > last.id + 1 && role !== "plan") drafted = true;
    if (entry.event === "proposal") proposed = entry.data.planVersion;
    if (role === "user") {
      if (proposed !== undefined && planning && drafted) rejected.set(index, proposed);
      if (planning && drafted) proposed = undefined;
    }
    if (endsProposal(entry)) proposed = undefined;
    last = entry;
  }
  return rejected;
}

/** Approved, held or under way: nothing is left to reject. What else is said leaves the proposal as it is. */
function endsProposal(entry: Entry): boolean {
  if (entry.event === "step") return true;
  if (entry.event !== "message") return false;
  const { message } = entry.data;
  if (message.role === "event") return message.extra.event.data.hold === true;
  return message.role === "user" && message.content === approvalText;
}
