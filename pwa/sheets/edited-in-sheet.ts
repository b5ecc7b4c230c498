// Chooses the plan that the sheet shows. An unsent edit is shown in place of the plan it edits, because the sheet's
// buttons send it.
import type { Plan } from "../../shared/plan/plan-file.ts";
import { keptEdit } from "../session/kept-edit.ts";
import type { Draft } from "../storage/draft.ts";
import { readEdit } from "../transcript/read-edit.ts";

/** How a plan relates to the active one; `ahead` is the person's unsent edit of it. */
export type PlanPlace = "newest" | "older" | "ahead";

export function planInSheet(
  asked: Plan,
  newest: Plan | null,
  draft: Draft,
): { plan: Plan; place: PlanPlace } {
  if (newest === null || asked.version < newest.version) return { plan: asked, place: "older" };
  const edit = keptEdit(draft, newest);
  const read = edit === undefined ? undefined : readEdit(newest, edit);
  return read?.ok ? { plan: read.plan, place: "ahead" } : { plan: newest, place: "newest" };
}
