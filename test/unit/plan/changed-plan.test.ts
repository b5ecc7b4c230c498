// Changes of an approved plan while it runs: which of them the person is asked about.
import { describe, expect, test } from "vitest";
import type { PendingCall } from "../../../functions/calls/prepared.ts";
import { askAboutChange, awaitsApproval } from "../../../functions/plan/approval.ts";
import type { Message } from "../../../shared/message.ts";
import type { Mode } from "../../../shared/mode.ts";
import { bodyOf } from "../../../shared/plan/plan-body.ts";
import type { Plan, PlanBody, Step } from "../../../shared/plan/plan-file.ts";
import { makePlan } from "./plan-fixture.ts";

type Turn = Parameters<typeof askAboutChange>[0];

const check = { command: "npm test", timeoutMs: 1_000 };
const plan = makePlan(
  { status: "approved", goal: "Add a login", checkpoints: ["npm run build", { command: "npm run lint" }] },
  { s1: { status: "active", checkpoint: check } },
);

interface Asking {
  mode?: Mode;
  plan?: Plan;
  history?: Message[];
  input?: object;
  isOlder?: boolean;
  permitted?: boolean;
}

function questionAbout(after: PlanBody, asking: Asking = {}, commands: string[] = []) {
  const {
    mode = "normal",
    history = [],
    input = { type: "continue" },
    isOlder = false,
    permitted = false,
  } = asking;
  const request = { messages: [], input };
  const turn: Turn = Object({
    env: { request, grants: [], isOlder, network: "none" },
    state: { plan: asking.plan ?? plan, mode, history },
  });
  const pending: PendingCall = {
    ...{ call: { id: "c", name: "update_plan", arguments: "{}" }, key: "t/0/0", at: 1, permitted },
  };
  const waits = askAboutChange(turn, pending, { after: { ...after, markdown: "# Changed" }, commands });
  const [draft] = waits?.drafts ?? [];
  return draft?.event === "permission" ? draft.data : undefined;
}

const body = bodyOf(plan);
const withStep = (patch: Partial<Step>): PlanBody => ({
  ...body,
  steps: body.steps.map((step, index) => (index === 0 ? { ...step, ...patch } : step)),
});

/** By what is changed. */
const changes: Readonly<Record<string, PlanBody>> = {
  "the goal": { ...body, goal: "Add a logout" },
  "a step's id": withStep({ id: "s9" }),
  "a step's description": withStep({ description: "Write nothing" }),
  "a step's actions": withStep({ actions: ["Run it"] }),
  "a step's preconditions": withStep({ preconditions: ["None"] }),
  "a step's postconditions": withStep({ postconditions: ["None"] }),
  "a step's check": withStep({ checkpoint: { ...check, command: "true" } }),
  "what follows a failed check": withStep({ onFail: "skip" }),
  "a step that is left out": { ...body, steps: body.steps.slice(1) },
  "the steps' order": { ...body, steps: body.steps.toReversed() },
  "a check of the whole plan": { ...body, checkpoints: ["npm run build", { command: "true" }] },
  "such a check as text": { ...body, checkpoints: ["true", { command: "npm run lint" }] },
  "how it is rolled back": { ...body, rollback: ["rm -rf ."] },
};

test.each(Object.entries(changes))(
  "a change of %s asks in normal mode, with the difference",
  (_what, after) => {
    const asked = questionAbout(after);
    expect(asked?.risk).toBe("plan_change");
    expect(asked?.change?.diff).toContain("+# Changed");
  },
);

describe("nobody is asked", () => {
  const after = withStep({ description: "Write nothing" });
  test.each<[string, PlanBody, Asking]>([
    ["about the time limit of a check", withStep({ checkpoint: { ...check, timeoutMs: 9_000 } }), {}],
    ["about the same plan", body, {}],
    ["in auto mode", after, { mode: "auto" }],
    ["in plan mode", after, { mode: "plan" }],
    ["once they have allowed the call", after, { permitted: true }],
    ["in a turn of an earlier version", after, { isOlder: true }],
    ["about a draft", after, { plan: { ...plan, status: "draft" } }],
    ["about a plan that the model began itself", after, { plan: { ...plan, status: "executing" } }],
    ["about a plan that has ended", after, { plan: { ...plan, status: "done" } }],
  ])("%s", (_when, changed, asking) => {
    expect(questionAbout(changed, asking)).toBeUndefined();
  });
});

test("in auto mode the person is asked while a failed step waits for them, since the change could remove it", () => {
  const failed = makePlan({ status: "approved" }, { s1: { status: "failed" } });
  const event = { subkind: "verifier_report", source: "checkpoint", data: { stepId: "s1", kind: "failed" } };
  const failure: Message = Object({ id: "f", role: "event", content: "", createdAt: 0, extra: { event } });
  const after = { ...bodyOf(failed), steps: failed.steps.slice(1) };
  const asking = { mode: "auto" as const, plan: failed };
  expect(questionAbout(after, { ...asking, history: [failure] })?.risk).toBe("plan_change");
  expect(questionAbout(after, asking)).toBeUndefined();
});

describe("a check that the person chose in their answers", () => {
  const chosen = { command: "npm run test:unit" };
  const question = {
    ...{ id: "q", label: "Check", prompt: "Which check?", type: "single_select" },
    options: [{ label: "npm run test:unit" }, { label: "npm run test:all" }],
  };
  const call = { id: "c", name: "ask_user", arguments: JSON.stringify({ questions: [question] }) };
  const history: Message[] = [
    Object({ id: "a", role: "assistant", content: "", createdAt: 0, toolCalls: [call] }),
    Object({ id: "r", role: "tool", content: "", createdAt: 0, name: "ask_user", ok: true, toolCallId: "c" }),
  ];
  const answered = { ...plan, decisions: [{ id: "q", label: "Check", answer: chosen.command }] };
  const input = { type: "answers", toolCallId: "c", answers: [] };
  const asking = { plan: answered, history, input };
  const changed = withStep({ checkpoint: chosen });

  test("is not asked about again for the step under way", () => {
    expect(questionAbout(changed, asking)).toBeUndefined();
  });

  const another = {
    ...body,
    steps: body.steps.map((step) => (step.id === "s2" ? { ...step, checkpoint: chosen } : step)),
  };
  test.each<[string, PlanBody, Asking]>([
    ["in a later turn", changed, { ...asking, input: { type: "continue" } }],
    ["in another step", another, asking],
    ["while something else changes too", { ...changed, goal: "Add a logout" }, asking],
    ["if they chose another", withStep({ checkpoint: { command: "npm run test:all" } }), asking],
    [
      "if no step is under way",
      changed,
      {
        ...asking,
        plan: { ...answered, steps: plan.steps.map((step) => ({ ...step, status: "skipped" as const })) },
      },
    ],
  ])("is asked about %s", (_, after, more) => {
    expect(questionAbout(after, more)?.risk).toBe("plan_change");
  });
});

test("the commands that would run at once are named, and why they need approval", () => {
  const push = "git push origin main";
  const asked = questionAbout(withStep({ checkpoint: { command: push } }), {}, [push]);
  expect(asked?.commands).toEqual([push]);
  expect(asked?.why).toContain(push);
});

test("an answer that named no command of the changed check does not stand for reading it", () => {
  const after = withStep({ checkpoint: { command: "touch a" } });
  expect(questionAbout(after, { input: { type: "answers", toolCallId: "q", answers: [] } })?.risk).toBe(
    "plan_change",
  );
});

test("a proposed plan awaits approval; a draft does only if it was written in plan mode", () => {
  const wrote = (mode: Mode): Message =>
    Object({
      id: "p",
      role: "plan",
      content: "",
      createdAt: 0,
      mode,
      extra: { plan: { ...plan, kind: "full" } },
    });
  const draft = { ...plan, status: "draft" as const };
  expect(awaitsApproval({ ...plan, status: "proposed" }, [])).toBe(true);
  expect(awaitsApproval(draft, [wrote("plan")])).toBe(true);
  expect(awaitsApproval(draft, [wrote("normal")])).toBe(false);
  expect(awaitsApproval(plan, [wrote("plan")])).toBe(false);
});
