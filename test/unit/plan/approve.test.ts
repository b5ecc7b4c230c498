// The state to which an approval or a rejection is bound, checked before anything is claimed.
import { expect, test } from "vitest";
import { decidePlan } from "../../../functions/inputs/plan-decisions.ts";
import { HandrailError } from "../../../shared/errors.ts";
import { installPlan } from "../../../shared/plan/set-plan.ts";
import { planText } from "../../../shared/plan/written-plan.ts";
import { type TurnInput, TurnRequest } from "../../../shared/turn.ts";

const made = planText({ goal: "Rest", steps: ["Rest"] });
if (!made.ok) throw new Error(made.problem);
const plan = { ...installPlan(null, { ...made, hash: "a".repeat(64), source: "model" }), status: "proposed" };

function refusal(input: Extract<TurnInput, { type: "approve" | "reject" }>): unknown {
  const body = { protocol: 1, turnId: "t", attempt: 1, after: 0, sandboxId: "s", mode: "plan", messages: [] };
  const request = TurnRequest.parse({ ...body, plan, input });
  try {
    decidePlan(request, input, request.plan, 0);
  } catch (error) {
    return error instanceof HandrailError ? [error.code, error.details] : error;
  }
  return "accepted";
}

test("only the current version and hash are approved or rejected; all others get what is current", () => {
  const right = { planVersion: 1, planHash: plan.hash };
  const stale = ["stale_plan", right];
  expect(refusal({ type: "approve", mode: "normal", ...right })).toBe("accepted");
  expect(refusal({ type: "approve", mode: "normal", ...right, planVersion: 2 })).toEqual(stale);
  expect(refusal({ type: "approve", mode: "normal", ...right, planHash: "b".repeat(64) })).toEqual(stale);
  expect(refusal({ type: "reject", planVersion: 1, feedback: "no" })).toBe("accepted");
  expect(refusal({ type: "reject", planVersion: 2, feedback: "no" })).toEqual(stale);
});
