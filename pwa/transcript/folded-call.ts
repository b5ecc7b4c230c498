// Folds a row of calls that each failed to change the plan into one card, which counts them. Pure.
import { keptAsApproved } from "./call-words.ts";
import type { CallView, Row } from "./rows.ts";

const changesPlan = new Set(["set_plan", "update_plan"]);

/** Adds `view` to the card of the row before it if both say that the plan was not changed. */
export function isFolded(view: CallView, before: Row | undefined): boolean {
  if (before?.kind !== "call" || !leftPlan(view) || !leftPlan(before.view)) return false;
  before.view = { ...view, tries: (before.view.tries ?? 1) + 1 };
  return true;
}

function leftPlan({ call, result, check }: CallView): boolean {
  const failed = result !== undefined && !result.ok && check === undefined;
  return failed && changesPlan.has(call.name) && !keptAsApproved.test(result.content);
}
