// The plans and proposals in a history: installed, proposed in an older form, rejected. Pure.
import * as z from "zod/mini";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { Entry } from "../../shared/session/session-state.ts";
import { silentRejection } from "./row-rules.ts";
import type { CallView } from "./rows.ts";

/** The version of the plan as it was installed; undefined if it is not among the entries. */
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

/** The rejected version, by the index of the user message that rejects it. */
export function rejections(entries: readonly Entry[]): Map<number, number> {
  const rejected = new Map<number, number>();
  let proposed: number | undefined;
  for (const [index, entry] of entries.entries()) {
    if (entry.event === "proposal") proposed = entry.data.planVersion;
    const message = entry.event === "message" ? entry.data.message : undefined;
    if (proposed === undefined || message?.role !== "user") continue;
    // Other messages that are sent while a plan waits do not reject it. Older servers did not set `rejects`.
    if (message.rejects !== undefined || message.content === silentRejection) rejected.set(index, proposed);
  }
  return rejected;
}
