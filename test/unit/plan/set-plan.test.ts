import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePlan, renderPlan } from "../../../shared/plan/markdown.ts";
import { buildBody } from "../../../shared/plan/plan-body.ts";
import { capBody, capFreeText } from "../../../shared/plan/plan-cap.ts";
import { countScalars } from "../../../shared/plan/scalars.ts";
import { planText, proposedText } from "../../../shared/plan/written-plan.ts";
import { runs } from "../../harness/runs.ts";
import { awkwardText, planInput } from "./plan-arbitrary.ts";

function text(args: unknown) {
  const result = planText(args);
  if (!result.ok) throw new Error(result.problem);
  return result;
}

describe("arguments of set_plan", () => {
  test("missing ids become s1, s2 and so on, beside the given ids", () => {
    const { body } = text({
      goal: "g",
      steps: [{ description: "a" }, { id: "s1", description: "b" }, { description: "c" }],
    });
    expect(body.steps.map((step) => step.id)).toEqual(["s2", "s1", "s3"]);
  });

  test("what models write is accepted: plain steps and checkpoints, single texts for lists, nulls, numbers as ids", () => {
    const { body } = text({
      goal: " Ship\n\nit ",
      steps: [
        "first",
        {
          id: 7,
          title: "second",
          checkpoint: "npm test",
          actions: "one\ntwo",
          preconditions: null,
          onFail: null,
        },
      ],
      decisionPoints: [
        "Which database?",
        { label: "Cache", question: "Which?", options: ["Redis", "None", "Memory"] },
      ],
      checkpoints: "all green",
      rollback: null,
      summary: null,
    });
    expect(body).toEqual({
      goal: "Ship\nit",
      steps: [
        {
          id: "s1",
          description: "first",
          actions: [],
          preconditions: [],
          postconditions: [],
          checkpoint: null,
          onFail: "ask",
        },
        {
          id: "7",
          description: "second",
          actions: ["one", "two"],
          preconditions: [],
          postconditions: [],
          checkpoint: { command: "npm test" },
          onFail: "ask",
        },
      ],
      decisionPoints: [
        "Which database?",
        {
          id: "q2",
          label: "Cache",
          prompt: "Which?",
          type: "single_select",
          options: [{ label: "Redis" }, { label: "Memory" }],
        },
      ],
      checkpoints: ["all green"],
      rollback: [],
    });
  });

  test.each([
    [{}, "`goal` and `steps`, or `markdown`"],
    [{ goal: "g", steps: [] }, "`goal` and `steps`, or `markdown`"],
    [{ steps: ["a"] }, "`goal`"],
    [{ goal: "g", steps: ["a", " "] }, "step 2 has no description"],
    [
      {
        goal: "g",
        steps: [
          { id: "a", description: "x" },
          { id: "a", description: "y" },
        ],
      },
      "the step id a is used twice",
    ],
    [
      { goal: "g", steps: [{ description: "x", onFail: "panic" }] },
      "`steps.0.onFail` must be one of ask, retry",
    ],
    [{ goal: "g", steps: [{ id: "a" }] }, "`steps.0.description` must be text"],
    [{ goal: "g", steps: 5 }, "`steps` must be a list"],
    [
      { goal: "g", steps: ["a"], decisionPoints: [{ label: "L", prompt: "p", type: "single_select" }] },
      "decision point 1 needs 1 to 4",
    ],
    [{ markdown: "# Goal\n\ng\n\n# Plan\n\nnothing listed" }, "line 7: expected a step"],
    ["text", "the arguments must be an object"],
    [null, "the arguments must be an object"],
  ])("%j is refused with a message", (args, problem) => {
    const result = planText(args);
    expect(result.ok).toBe(false);
    if (!result.ok) expect(result.problem).toContain(problem);
  });

  test("markdown with the headings becomes canonical, other text stays unchanged", () => {
    expect(text({ markdown: "# Plan\n* first" }).markdown).toBe("# Plan\n\n1. [s1] first");
    const free = "  Copy the file.\n\n## Then\n- test it\n";
    expect(text({ markdown: free })).toMatchObject({
      markdown: free,
      body: { goal: "Copy the file.", steps: [] },
    });
  });

  test("free text before the steps stays before them", () => {
    const plan = text({ markdown: "We copy.\n\nMore words.\n\n# Plan\n1. copy" });
    expect(plan.markdown).toBe("We copy.\n\nMore words.\n\n# Plan\n\n1. [s1] copy");
    expect(parsePlan(plan.markdown)).toEqual({ ok: true, body: plan.body });
  });
});

describe("a proposed text", () => {
  test("that has the headings but another form is kept as free text", () => {
    const plan = proposedText("# Plan\n\nJust do it.\n\n# Risks\n\nnone");
    expect(plan).toMatchObject({
      markdown: " # Plan\n\nJust do it.\n\n # Risks\n\nnone",
      body: { goal: "# Plan", steps: [] },
    });
  });

  test("always reads back as the plan it became", { tags: "random" }, () => {
    fc.assert(
      fc.property(fc.array(awkwardText, { maxLength: 8 }), (lines) => {
        const plan = proposedText(lines.join("\n"));
        expect(parsePlan(plan.markdown)).toEqual({ ok: true, body: plan.body });
      }),
      { numRuns: runs(2000, 200) },
    );
  });
});

describe("the cap on a plan's text", () => {
  test("cuts free text at a scalar boundary and ends it with the marker, within the cap", () => {
    const long = "👍".repeat(100_000);
    const plan = text({ markdown: long });
    expect(countScalars(plan.markdown)).toBe(98_304);
    const { kept, of } = plan.truncated ?? { kept: 0, of: 0 };
    expect(of).toBe(100_000);
    expect(plan.markdown).toBe(`${"👍".repeat(kept)}\n[truncated: kept ${kept} of 100000 chars]`);
  });

  test("leaves a text of exactly the cap unchanged", () => {
    expect(text({ markdown: "x".repeat(98_304) }).truncated).toBeUndefined();
  });

  test("never leaves half of a command", () => {
    const body = text({
      goal: "g",
      steps: [{ description: "d", checkpoint: `rm -rf build/${"x".repeat(200)}` }],
    }).body;
    const capped = capBody(body, undefined, 160);
    expect(capped.body.steps).toMatchObject([{ description: "d", checkpoint: null }]);
    expect(capped.markdown).not.toContain("rm");
  });

  test("cuts within a description that is itself too long", () => {
    const capped = text({ goal: "g", steps: [{ description: "x".repeat(120_000), checkpoint: "npm test" }] });
    expect(countScalars(capped.markdown)).toBeLessThanOrEqual(98_304);
    expect(capped.body.steps[0]?.description.length).toBeGreaterThan(98_000);
    expect(capped.body.steps[0]?.checkpoint).toBeNull();
  });

  test.each([
    ["action", { steps: [{ description: "d", actions: ["x".repeat(200_000)] }] }],
    ["condition", { steps: [{ description: "d", postconditions: ["x".repeat(200_000)] }] }],
    ["open point", { steps: ["d"], decisionPoints: ["x".repeat(200_000)] }],
    ["checkpoint in words", { steps: ["d"], checkpoints: ["x".repeat(200_000)] }],
    ["way back", { steps: ["d"], rollback: ["x".repeat(200_000)] }],
    ["text", { markdown: `1. d\n2. e\n\n${"x".repeat(200_000)}` }],
  ])("keeps the beginning of a single %s that is too long", (_, args) => {
    const { markdown, body } = text({ goal: "g", ...args });
    expect(countScalars(markdown)).toBeGreaterThan(98_000);
    expect(countScalars(markdown)).toBeLessThanOrEqual(98_304);
    expect(parsePlan(markdown)).toEqual({ ok: true, body });
  });

  test("the rest is the beginning of the text, counts are true, and it reads back", {
    tags: "random",
  }, () => {
    fc.assert(
      fc.property(planInput, fc.integer({ min: 60, max: 700 }), (input, cap) => {
        const built = buildBody(input);
        fc.pre(built.ok);
        if (!built.ok) return;
        const whole = renderPlan(built.body);
        const { markdown, body, truncated } = capBody(built.body, undefined, cap);
        expect(countScalars(markdown)).toBeLessThanOrEqual(Math.max(cap, 0));
        expect(parsePlan(markdown)).toEqual({ ok: true, body });
        if (!truncated) expect(markdown).toBe(whole);
        else {
          const beginning = markdown.slice(0, markdown.lastIndexOf("\n"));
          expect(whole.startsWith(beginning)).toBe(true);
          expect(markdown.endsWith(`[truncated: kept ${truncated.kept} of ${truncated.of} chars]`)).toBe(
            true,
          );
          expect(countScalars(beginning)).toBe(truncated.kept);
          expect(countScalars(whole)).toBe(truncated.of);
        }
      }),
      { numRuns: runs(1500, 150) },
    );
  });

  test("free text reads back too, wherever it is cut", () => {
    fc.assert(
      fc.property(
        fc.array(awkwardText, { maxLength: 20 }),
        fc.integer({ min: 40, max: 200 }),
        (lines, cap) => {
          const plan = capFreeText(proposedText(lines.join("\n")).markdown, cap);
          expect(countScalars(plan.markdown)).toBeLessThanOrEqual(cap);
          expect(plan.body.steps).toEqual([]);
        },
      ),
    );
  });
});

test("a plan's own check that is a command is run, and one in plain text is not", () => {
  const plan = planText({
    goal: "Rest",
    steps: ["Sleep"],
    checkpoints: ["npm test", "`make all`", "npm test passes", "Look at it by hand"],
  });
  expect(plan.ok && plan.body.checkpoints).toEqual([
    { command: "npm test" },
    { command: "make all" },
    "npm test passes",
    "Look at it by hand",
  ]);
});

test("a byte order mark before a plan's text changes nothing", () => {
  const markdown = "# Goal\n\nRest\n\n# Plan\n\n1. [s1] Sleep";
  expect(planText({ markdown: `\uFEFF${markdown}` })).toEqual(planText({ markdown }));
  expect(proposedText("\uFEFFSleep").markdown).toBe("Sleep");
});
