// Whether the person approved the plan that is under way, as the history tells it: a model may also have begun one itself.
import type { Message } from "../../shared/message.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";

/**
 * A plan under way counts as approved where the person said so after it was last written as a draft, and where it was
 * written in auto mode, which shows it and does not ask. A version in which an approved plan goes on, by their own edit,
 * with their permission or in auto mode, is kept as `executing`: the approval before it covers it. Only the end of a long history is posted: without a word of the person in it, a plan that was
 * written in plan mode was approved earlier.
 */
export function wasApproved(plan: Plan | null, messages: readonly Message[]): boolean {
  if (plan?.status !== "executing") return plan?.status === "approved";
  const written = messages.findLastIndex(
    (message) => message.role === "plan" && message.extra.plan.status === "draft",
  );
  const said = messages
    .slice(written + 1)
    .flatMap((message) => (message.role === "event" ? [message.extra.event] : []))
    .filter(({ source, data }) => source === "approval" || data.planVersion !== undefined)
    .map(({ data }) => data.approved !== false);
  return (
    said.includes(true) ||
    messages[written]?.mode === "auto" ||
    (said.length === 0 && messages[written]?.mode === "plan")
  );
}

/** The person's word that a plan begins, or is held. */
export function isApproval(message: Message): boolean {
  if (message.role !== "event") return false;
  const { source, data } = message.extra.event;
  return source === "approval" || (data.planVersion !== undefined && data.approved === true);
}
