import { describe, expect, test } from "vitest";
import { deltaText } from "../../../shared/plan/blocks.ts";
import { parsePlan } from "../../../shared/plan/markdown.ts";
import { bodyOf } from "../../../shared/plan/plan-body.ts";
import type { Plan } from "../../../shared/plan/plan-file.ts";
import { countScalars } from "../../../shared/plan/scalars.ts";
import { installPlan } from "../../../shared/plan/set-plan.ts";
import { applyUpdate, foldPlan, needsFold } from "../../../shared/plan/update-plan.ts";
import { planText } from "../../../shared/plan/written-plan.ts";
import { makePlan } from "./plan-fixture.ts";

function applied(plan: Plan, args: unknown) {
  const result = applyUpdate(plan, args);
  if (!result.ok) throw new Error(result.problem);
  return result;
}

const ids = (plan: Plan) => plan.steps.map((step) => step.id);

test("statuses alone change no content, leave no delta, and are left to the caller", () => {
  const plan = makePlan({ status: "executing" });
  const update = applied(plan, {
    steps: [
      { id: "s1", status: "done", note: "two\nlines" },
      { id: "s2", status: "active" },
    ],
  });
  expect(update).toMatchObject({
    contentChanged: false,
    appended: false,
    statusChanges: [
      { stepId: "s1", status: "done", note: "two lines" },
      { stepId: "s2", status: "active" },
    ],
  });
  expect(update.plan).toEqual(plan);
});

test("a note is a delta that changes no content", () => {
  const update = applied(makePlan({ status: "proposed" }), { note: "Found an older login.\n" });
  expect(update).toMatchObject({
    contentChanged: false,
    appended: true,
    delta: { seq: 1, note: "Found an older login." },
  });
  expect(update.plan).toMatchObject({ status: "proposed", deltas: [{ seq: 1 }] });
  expect(applied(update.plan, { note: "More." }).delta.seq).toBe(2);
});

test("a note on a step without a status stays with the step", () => {
  const update = applied(makePlan(), { steps: [{ id: "s2", note: "half done" }] });
  expect(update).toMatchObject({ contentChanged: false, statusChanges: [] });
  expect(update.plan.steps[1]?.note).toBe("half done");
});

test("a change of content is in the markdown, and withdraws a proposal or an approval", () => {
  for (const status of ["proposed", "approved"] as const) {
    const update = applied(makePlan({ status }), {
      steps: [{ id: "s2", description: "Write two routes", checkpoint: "npm run check", onFail: "retry" }],
    });
    expect(update).toMatchObject({ contentChanged: true, plan: { status: "draft", version: 1 } });
    expect(update.plan.markdown).toContain(
      "2. [s2] Write two routes\n   - check: npm run check\n   - on fail: retry",
    );
    expect(parsePlan(update.plan.markdown)).toEqual({ ok: true, body: bodyOf(update.plan) });
  }
  expect(applied(makePlan({ status: "executing" }), { addSteps: ["x"] }).plan.status).toBe("executing");
});

test("repeating what is already there changes nothing", () => {
  expect(applied(makePlan(), { steps: [{ id: "s1", description: " Write the test " }] })).toMatchObject({
    contentChanged: false,
    appended: false,
  });
});

test("a null checkpoint removes the check, a missing one keeps it", () => {
  expect(
    applied(makePlan(), { steps: [{ id: "s2", checkpoint: null }] }).plan.steps[1]?.checkpoint,
  ).toBeNull();
  expect(applied(makePlan(), { steps: [{ id: "s2", description: "x" }] }).plan.steps[1]?.checkpoint).toEqual({
    command: "npm test",
  });
});

describe("added steps", () => {
  test("come at the end, or after the step they name, in the order given", () => {
    const update = applied(makePlan(), {
      addSteps: [
        { description: "a", after: "s1" },
        { id: "b", description: "b", after: "s1" },
        "c",
        { description: "d", after: "b" },
      ],
    });
    expect(ids(update.plan)).toEqual(["s1", "s4", "b", "s6", "s2", "s3", "s5"]);
    expect(update.delta.addSteps?.map((step) => step.id)).toEqual(["s4", "b", "s5", "s6"]);
    expect(update.plan.steps.every((step) => step.status === "pending")).toBe(true);
  });

  test("do not get the id of a step that was removed", () => {
    const removed = applied(makePlan(), { removeSteps: ["s3"] }).plan;
    expect(ids(applied(removed, { addSteps: ["new"] }).plan)).toEqual(["s1", "s2", "s4"]);
  });

  test("may replace a step removed in the same update, under its id", () => {
    const update = applied(makePlan(), {
      removeSteps: ["s2"],
      addSteps: [{ id: "s2", description: "Other route", after: "s2" }],
    });
    expect(update.plan.steps.map((step) => step.description)).toEqual([
      "Write the test",
      "Other route",
      "Document it",
    ]);
  });
});

describe("a plan of free text", () => {
  const free = () => {
    const text = planText({ markdown: "We copy the file.\n\n# Background\n\nLong story.\n" });
    if (!text.ok) throw new Error(text.problem);
    return installPlan(null, { ...text, hash: "h", source: "model" });
  };

  test("keeps its text before the steps it gets, and again when they are removed", () => {
    const plan = applied(free(), { addSteps: ["Copy"] }).plan;
    expect(plan.markdown).toBe("We copy the file.\n\n # Background\n\nLong story.\n\n# Plan\n\n1. [s1] Copy");
    expect(parsePlan(plan.markdown)).toEqual({ ok: true, body: bodyOf(plan) });
    expect(applied(plan, { removeSteps: ["s1"] }).plan.markdown).toBe(
      "We copy the file.\n\n # Background\n\nLong story.",
    );
  });

  test("stays untouched by a note", () => {
    expect(applied(free(), { note: "n" }).plan.markdown).toBe(free().markdown);
  });
});

test.each<[object, string, Partial<Plan>?]>([
  [{}, "nothing to update"],
  [{ note: "  ", steps: [] }, "nothing to update"],
  [
    {
      steps: [{ id: "s9", status: "done" }],
      removeSteps: ["x"],
      addSteps: [{ description: "d", after: "y" }],
    },
    "unknown step s9, x, y; the plan has s1, s2, s3",
  ],
  [{ steps: [{ id: "s1" }], addSteps: [{ id: "s2", description: "d" }] }, "the step id s2 is taken"],
  [
    {
      addSteps: [
        { id: "n", description: "d" },
        { id: "n", description: "e" },
      ],
    },
    "the step id n is taken",
  ],
  [{ steps: [{ id: "s1", description: " " }] }, "step s1 would have no description"],
  [{ steps: [{ id: "s1", status: "finished" }] }, "`steps.0.status` must be one of pending, active"],
  [{ note: "n" }, "the plan is done; call set_plan", { status: "done" }],
  [{ note: "n" }, "the plan is abandoned; call set_plan", { status: "abandoned" }],
])("%j is refused with a message", (args, problem, patch) => {
  const result = applyUpdate(makePlan(patch), args);
  expect(result.ok).toBe(false);
  if (!result.ok) expect(result.problem).toContain(problem);
});

test.each(["active", "done"] as const)("a step that is %s cannot be removed", (status) => {
  const result = applyUpdate(makePlan({}, { s1: { status } }), { removeSteps: ["s1"] });
  expect(result).toEqual({
    ok: false,
    problem: `step s1 is ${status} and stays in the plan; only steps not begun, failed or skipped can be removed`,
  });
});

describe("the cap on an update", () => {
  test("cuts a long note at a scalar boundary, the marker within the cap", () => {
    const { delta, truncated } = applied(makePlan(), {
      note: "👍".repeat(20_000),
      steps: [{ id: "s1", status: "skipped" }],
    });
    const text = deltaText(delta);
    expect(countScalars(text)).toBeLessThanOrEqual(16_384);
    expect(countScalars(text)).toBeGreaterThan(16_300);
    expect(text.endsWith(`👍\n[truncated: kept ${truncated?.kept} of 20000 chars]`)).toBe(true);
  });

  test("cuts the longest description of a step too, and the plan has the same text", () => {
    const { delta, plan, truncated } = applied(makePlan(), {
      addSteps: [{ description: "x".repeat(30_000), checkpoint: "npm test" }],
    });
    expect(truncated?.of).toBe(30_000);
    expect(countScalars(deltaText(delta))).toBeLessThanOrEqual(16_384);
    expect(plan.steps.at(-1)).toMatchObject({
      description: delta.addSteps?.[0]?.description,
      checkpoint: { command: "npm test" },
    });
  });

  test("never cuts a command", () => {
    const result = applyUpdate(makePlan(), {
      steps: [{ id: "s1", checkpoint: `echo ${"x".repeat(17_000)}` }],
    });
    expect(result).toMatchObject({ ok: false, problem: expect.stringContaining("at most 16384") });
  });

  test("refuses an update that would make the plan too long", () => {
    let plan = makePlan();
    for (let round = 0; round < 6; round += 1) plan = applied(plan, { addSteps: ["x".repeat(16_000)] }).plan;
    expect(applyUpdate(plan, { addSteps: ["x".repeat(16_000)] })).toMatchObject({
      ok: false,
      problem: expect.stringContaining("at most 98304"),
    });
  });
});

test("updates are folded once they are together longer than one may be", () => {
  const one = applied(makePlan({}, { s1: { status: "done", note: "ok" } }), {
    note: "n".repeat(10_000),
  }).plan;
  expect(needsFold(one)).toBe(false);
  const two = applied(one, { note: "n".repeat(10_000) }).plan;
  expect(needsFold(two)).toBe(true);
  const folded = foldPlan(two);
  expect(folded).toEqual({ ...two, version: 2, supersedes: 1, deltas: [] });
  expect(needsFold(folded)).toBe(false);
  // No person has seen the folded version, so it is not the one that was proposed.
  expect(foldPlan({ ...two, status: "proposed" }).status).toBe("draft");
  expect(foldPlan({ ...two, status: "executing" }).status).toBe("executing");
});

test("goal, actions and conditions can be changed, in free text too, and read back", () => {
  const steps = [
    { id: "s1", actions: ["look", "write"], preconditions: [], postconditions: ["it is there"] },
  ];
  const update = applied(makePlan(), { goal: "Another\ngoal", steps });
  expect(update.contentChanged).toBe(true);
  expect(update.plan.steps[0]).toMatchObject(steps[0] ?? {});
  expect(parsePlan(update.plan.markdown)).toEqual({ ok: true, body: bodyOf(update.plan) });
  expect(deltaText(update.delta)).toBe(
    "Goal: Another\ngoal\nStep [s1]:\n   - action: look\n   - action: write\n   - before: none\n   - after: it is there",
  );
  const text = planText({ markdown: "Do it somehow\n\nand well" });
  if (!text.ok) throw new Error(text.problem);
  const free = installPlan(null, { ...text, hash: "h", source: "model" });
  const changed = applied(free, { goal: "# Do it\nwell", addSteps: ["Begin"] }).plan;
  expect(changed.markdown).toContain("and well");
  expect(parsePlan(changed.markdown)).toEqual({ ok: true, body: bodyOf(changed) });
});

test("the report on a step is in no update: its check may fail", () => {
  const steps = [
    { id: "s1", status: "done", note: "all pass" },
    { id: "s2", status: "active", description: "Write two routes" },
  ];
  const { plan, delta } = applied(makePlan({ status: "executing" }), { note: "found more", steps });
  expect(plan.deltas).toEqual([delta]);
  expect(delta).toEqual({
    seq: 1,
    note: "found more",
    steps: [{ id: "s2", description: "Write two routes" }],
  });
  expect(deltaText(delta)).not.toMatch(/done|active|pass/);
});

test("a check keeps its timeout, in whole seconds, in parts and text", () => {
  const checkpoint = { command: "npm test\nnpm run more", timeoutMs: 89_100 };
  const { plan, delta } = applied(makePlan(), { steps: [{ id: "s1", checkpoint }] });
  expect(plan.steps[0]?.checkpoint).toEqual({ ...checkpoint, timeoutMs: 90_000 });
  expect(plan.markdown).toContain("   - check (90 s): npm test\n     npm run more");
  expect(deltaText(delta)).toContain("   - check (90 s): npm test\n     npm run more");
  expect(parsePlan(plan.markdown)).toEqual({ ok: true, body: bodyOf(plan) });
});
