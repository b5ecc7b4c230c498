// Parses a person's edit of a plan's text in the same way as the engine.
import { editedPlan } from "../../shared/plan/edited-plan.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { installPlan } from "../../shared/plan/set-plan.ts";

export type ReadEdit = { ok: true; plan: Plan } | { ok: false; problem: string };

/** The version made from `markdown`, or its error: "Line 3: …". */
export function readEdit(before: Plan, markdown: string): ReadEdit {
  if (markdown.trim() === "") return { ok: false, problem: "A plan needs some text." };
  const made = editedPlan(markdown, before);
  if (!made.ok)
    return { ok: false, problem: `${made.problem.charAt(0).toUpperCase()}${made.problem.slice(1)}` };
  const { body, markdown: text } = made;
  // The engine computes the hash; this plan is only shown.
  return { ok: true, plan: installPlan(before, { body, markdown: text, hash: "", source: "person" }) };
}
