// What a decision about a plan is bound to, and what becomes of the plan, checked before anything is claimed.
import { describe, expect, test } from "vitest";
import { decidePlan, type PlanDecision } from "../../../functions/inputs/plan-decisions.ts";
import { HandrailError } from "../../../shared/errors.ts";
import type { Plan } from "../../../shared/plan/plan-file.ts";
import { installPlan } from "../../../shared/plan/set-plan.ts";
import { planText } from "../../../shared/plan/written-plan.ts";
import { TurnRequest } from "../../../shared/turn.ts";

const steps = [{ id: "s1", description: "Rest", checkpoint: { command: "true" } }];
const made = planText({ goal: "Rest", steps });
if (!made.ok) throw new Error(made.problem);
const plan: Plan = {
  ...installPlan(null, { ...made, hash: "a".repeat(64), source: "model" }),
  status: "proposed",
};
const right = { planVersion: 1, planHash: plan.hash };
const proposal = `proposal:1:${plan.hash}`;

function decided(input: PlanDecision, held: Plan = plan) {
  const body = { protocol: 1, turnId: "t", attempt: 1, after: 0, sandboxId: "s", mode: "plan", messages: [] };
  const request = TurnRequest.parse({ ...body, plan: held, input });
  return decidePlan(request, input, request.plan, 0);
}

function refusal(input: PlanDecision, held?: Plan): unknown {
  try {
    decided(input, held);
  } catch (error) {
    return error instanceof HandrailError ? [error.code, error.details] : error;
  }
  return "accepted";
}

test("only the current version and hash are approved or rejected; all others get what is current", () => {
  const stale = ["stale_plan", right];
  expect(refusal({ type: "approve", mode: "normal", ...right })).toBe("accepted");
  expect(refusal({ type: "approve", mode: "normal", ...right, planVersion: 2 })).toEqual(stale);
  expect(refusal({ type: "approve", mode: "normal", ...right, planHash: "b".repeat(64) })).toEqual(stale);
  expect(refusal({ type: "reject", planVersion: 1, feedback: "no" })).toBe("accepted");
  expect(refusal({ type: "reject", planVersion: 2, feedback: "no" })).toEqual(stale);
});

describe("an approval", () => {
  test("that names another text than the one that would run is refused", () => {
    const approve = { type: "approve", mode: "normal", ...right } as const;
    expect(refusal({ ...approve, planText: plan.markdown })).toBe("accepted");
    expect(refusal({ ...approve, planText: `${plan.markdown} ` })).toEqual([
      "stale_plan",
      { field: "input.planText" },
    ]);
  });

  test("of a plan whose checks are not those of its text is refused", () => {
    const [step] = plan.steps;
    if (!step) throw new Error("no step");
    const other = { ...plan, steps: [{ ...step, checkpoint: { command: "npm publish" } }] };
    for (const hold of [true, false])
      expect(refusal({ type: "approve", mode: "normal", ...right, hold }, other)).toEqual([
        "invalid_request",
        { field: "plan.steps" },
      ]);
  });

  test.each([
    ["normal", undefined, "executing"],
    ["auto", undefined, "executing"],
    ["normal", true, "approved"],
  ] as const)("in %s mode, held: %s, is for this proposal, and the plan is %s", (mode, hold, status) => {
    const effect = decided({ type: "approve", mode, ...right, ...(hold ? { hold } : {}) });
    expect(effect).toMatchObject({ resolves: proposal, plan: { status } });
    expect(effect.mode).toBe(hold ? undefined : mode);
  });
});

describe("a rejection", () => {
  test("is for this proposal, and leaves a draft", () => {
    const effect = decided({ type: "reject", planVersion: 1, feedback: "no" });
    expect(effect).toMatchObject({ resolves: proposal, plan: { status: "draft" } });
    expect(effect.messages).toMatchObject([{ content: "no", rejects: plan.hash }]);
  });

  test("comments on steps of the plan alone", () => {
    const comments = (stepId: string) => [{ stepId, text: "no" }];
    const reject = { type: "reject", planVersion: 1, feedback: "" } as const;
    expect(refusal({ ...reject, comments: comments("s1") })).toBe("accepted");
    expect(refusal({ ...reject, comments: comments("s2") })).toEqual([
      "invalid_request",
      { field: "input.comments" },
    ]);
  });
});

test("a text that is taken as the plan waits for approval, in place of the proposal that waited", () => {
  const take = { type: "take_plan", text: "x" } as const;
  expect(decided(take)).toMatchObject({ resolves: proposal, plan: { status: "proposed" } });
  expect(decided(take, { ...plan, status: "draft" }).resolves).toBeUndefined();
  expect(decided(take, { ...plan, status: "executing" }).plan?.status).toBe("proposed");
});

test.each([
  ["proposed", undefined, "draft"],
  ["approved", undefined, "draft"],
  ["executing", undefined, "executing"],
  ["executing", true, "draft"],
  ["approved", true, "draft"],
] as const)("a plan that is %s and planned again, from scratch: %s, is %s", (status, reset, after) => {
  const effect = decided({ type: "replan", ...(reset ? { reset } : {}) }, { ...plan, status });
  expect(effect.plan?.status).toBe(after);
});

test("only a plan under way is closed", () => {
  expect(refusal({ type: "close", as: "done" })).toEqual(["invalid_request", { field: "input.type" }]);
  expect(refusal({ type: "close", as: "done" }, { ...plan, status: "executing" })).toBe("accepted");
});
