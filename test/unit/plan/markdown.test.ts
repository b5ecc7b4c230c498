import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePlan, renderPlan } from "../../../shared/plan/markdown.ts";
import { buildBody } from "../../../shared/plan/plan-body.ts";
import type { PlanBody } from "../../../shared/plan/plan-file.ts";
import { runs } from "../../harness/runs.ts";
import { awkwardText, planInput } from "./plan-arbitrary.ts";

const full: PlanBody = {
  goal: "Let people sign in\nwithout a password",
  steps: [
    {
      id: "s1",
      description: "Add the route",
      actions: ["edit src/app.ts", "edit src/routes.ts"],
      preconditions: ["npm test is green"],
      postconditions: ["GET /login answers 200"],
      checkpoint: { command: "npm test -- login" },
      onFail: "rollback",
    },
    {
      id: "mail",
      description: "Send the mail",
      actions: [],
      preconditions: [],
      postconditions: [],
      checkpoint: { command: "set -e\nnpm run build\n\nnpm test" },
      onFail: "ask",
    },
  ],
  decisionPoints: [
    {
      id: "q1",
      label: "Transport",
      prompt: "How is mail sent?",
      type: "single_select",
      options: [{ label: "SMTP", description: "The server that is there" }, { label: "API" }],
    },
    {
      id: "langs",
      label: "Languages",
      prompt: "Which?",
      type: "multi_select",
      options: [{ label: "English" }],
    },
    { id: "q3", label: "Sender", prompt: "Which address?", type: "free_text" },
    "Whether old links stay valid",
  ],
  checkpoints: ["the login page loads", { command: "npm test" }],
  rollback: ["git restore src"],
};

test("a full plan reads like this", () => {
  expect(renderPlan(full)).toMatchInlineSnapshot(`
    "# Goal

    Let people sign in
    without a password

    # Plan

    1. [s1] Add the route
       - action: edit src/app.ts
       - action: edit src/routes.ts
       - before: npm test is green
       - after: GET /login answers 200
       - check: npm test -- login
       - on fail: rollback
    2. [mail] Send the mail
       - check: set -e
         npm run build

         npm test

    # Decision points

    1) **Transport** (single-select): How is mail sent?
       1. SMTP
          The server that is there
       2. API
       3. (None) Type your answer
          Next
    2) **Languages** (multi-select): Which? [langs]
       1. English
       2. (None) Type your answer
          Next
    3) **Sender** (free-text): Which address?
    4) Whether old links stay valid

    # Checkpoints

    - the login page loads
    - check: npm test

    # Rollback

    - git restore src"
  `);
});

test("sections without content are left out", () => {
  expect(
    renderPlan({ goal: "Only this", steps: [], decisionPoints: [], checkpoints: [], rollback: [] }),
  ).toBe("# Goal\n\nOnly this");
});

test("the text of a full plan gives the plan back", () => {
  expect(parsePlan(renderPlan(full))).toEqual({ ok: true, body: full });
});

test("the text of any plan gives the plan back", { tags: "random" }, () => {
  fc.assert(
    fc.property(planInput, (input) => {
      const built = buildBody(input);
      fc.pre(built.ok);
      if (!built.ok) return;
      expect(parsePlan(renderPlan(built.body))).toEqual({ ok: true, body: built.body });
    }),
    { numRuns: runs(3000, 200) },
  );
});

test("a normalized text stays unchanged", () => {
  fc.assert(
    fc.property(planInput, (input) => {
      const built = buildBody(input);
      fc.pre(built.ok);
      if (built.ok) expect(buildBody(built.body)).toEqual(built);
    }),
    { numRuns: 500 },
  );
});

test("any text either parses into a normalized plan that survives its own text, or names one of its lines", {
  tags: "random",
}, () => {
  const line = fc.oneof(
    awkwardText,
    fc.constantFrom(
      "# Goal",
      "# Plan",
      "# Decision points",
      "# Checkpoints",
      "# Rollback",
      "1. a",
      "   - check: x",
      "   1. a",
      "1) **L** (single-select): p",
    ),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const text = lines.join("\n");
      const parsed = parsePlan(text);
      if (!parsed.ok) {
        expect(parsed.line).toBeGreaterThanOrEqual(1);
        expect(parsed.line).toBeLessThanOrEqual(text.split(/\r\n|[\n\r\u2028\u2029]/).length);
        return;
      }
      const again = buildBody(parsed.body);
      // A command with hidden characters can be parsed, and is then refused.
      expect(again.ok || again.hides).toBe(true);
      if (again.ok) expect(parsePlan(renderPlan(again.body))).toEqual({ ok: true, body: again.body });
    }),
    { numRuns: runs(3000, 300) },
  );
});

describe("text without the headings", () => {
  test.each([
    ["Copy the file.\nThen test it.", "Copy the file."],
    ["\n\n  First line\nrest", "First line"],
    ["## Steps\n\n1. one\n2. two", "## Steps"],
    ["", ""],
  ])("%j has its first line as goal and no steps", (text, goal) => {
    expect(parsePlan(text)).toEqual({
      ok: true,
      body: { goal, steps: [], decisionPoints: [], checkpoints: [], rollback: [] },
    });
  });
});

describe("manual edits", () => {
  const parsed = (text: string, taken: string[] = []) => {
    const result = parsePlan(text, taken);
    if (!result.ok) throw new Error(`line ${result.line}: ${result.problem}`);
    return result.body;
  };

  test("steps without an id get free ones, also none of those used before", () => {
    const ids = (taken: string[]) =>
      parsed("# Plan\n\n1. new\n2. [s1] old\n3. other", taken).steps.map((step) => step.id);
    expect(ids([])).toEqual(["s2", "s1", "s3"]);
    expect(ids(["s2"])).toEqual(["s3", "s1", "s4"]);
  });

  test("numbers may repeat, skip and end in a parenthesis; steps may be bullets", () => {
    expect(parsed("# plan:\n3) [a] one\n3. [b] two\n- [c] three").steps.map((step) => step.id)).toEqual([
      "a",
      "b",
      "c",
    ]);
  });

  test("items may lose their indentation, and labels their case", () => {
    const [step] = parsed("# Plan\n1. [a] one\n- Check: npm test\n* On fail: Retry").steps;
    expect(step).toMatchObject({ checkpoint: { command: "npm test" }, onFail: "retry" });
  });

  test("a link at the start of a step is not an id", () => {
    expect(parsed("# Plan\n1. [docs](x.md) first").steps[0]).toMatchObject({
      id: "s1",
      description: "[docs](x.md) first",
    });
  });

  test("sections may be in any order, with Windows line ends and a byte order mark", () => {
    const body = parsed("\ufeff# Rollback\r\n\r\n* undo\r\n\r\n# Goal\r\nthis\r\n");
    expect(body).toMatchObject({ goal: "this", rollback: ["undo"] });
  });

  test("a question may lose its last option and have wrapped descriptions", () => {
    const text =
      "# Decision points\n1) **DB** (single-select): Which?\n   1. SQLite\n      one file\n      no server\n   2. Postgres";
    expect(parsed(text).decisionPoints).toEqual([
      {
        id: "q1",
        label: "DB",
        prompt: "Which?",
        type: "single_select",
        options: [{ label: "SQLite", description: "one file no server" }, { label: "Postgres" }],
      },
    ]);
  });

  test("free text may replace a goal", () => {
    expect(parsed("We copy it.\n\nMore words.\n\n# Plan\n\n1. copy")).toMatchObject({
      goal: "We copy it.",
      steps: [{ id: "s1" }],
    });
  });

  test("the marker of a cut text is not part of it", () => {
    expect(parsed("# Rollback\n\n- undo\n[truncated: kept 20 of 900 chars]").rollback).toEqual(["undo"]);
  });

  test.each([
    ["# Gaol\n\nx\n\n# Plan\n\n1. a", 1, "unknown heading `# Gaol`"],
    ["# Goal\n\nx\n\n# Plan\n\n1. a\n\n## Risks", 9, "unknown heading `## Risks`"],
    ["x\n# Goal\ny", 1, "text before the first heading"],
    ["# Plan\n1. a\n# Plan\n1. b", 3, "comes twice"],
    ["# Plan\nfirst do this", 2, "expected a step"],
    ["# Plan\n1. a\n   - actoin: b", 3, "expected a step"],
    ["# Plan\n1. [s1]", 2, "no text"],
    ["# Plan\n1. [s1] a\n2. [s1] b", 3, "[s1] is used twice"],
    ["# Plan\n1. a\n   - check: x\n   - check: y", 4, "one `- check:` only"],
    ["# Plan\n1. a\n   - check:", 3, "nothing follows"],
    ["# Plan\n1. a\n   - on fail: panic", 3, "one of ask, retry, rollback, skip, stop"],
    ["# Decision points\n1) **A** (single-select): b", 2, "needs 1 to 4 options"],
    ["# Decision points\n1) **A** (free-text): b\n   1. c", 3, "expected a decision point"],
    ["# Decision points\n1) **A** (single-select): b\nc", 3, "expected an option"],
    ["# Checkpoints\nnpm test", 2, "expected a line such as `- text`"],
    ["# Rollback\n- ok\n-", 3, "expected a line such as `- text`"],
  ])("%j is refused with line %i", (text, line, problem) => {
    const result = parsePlan(text);
    expect(result).toMatchObject({ ok: false, line });
    if (!result.ok) expect(result.problem).toContain(problem);
  });
});
