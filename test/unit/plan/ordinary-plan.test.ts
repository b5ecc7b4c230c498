import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePlan } from "../../../shared/plan/markdown.ts";
import { looksLikePlan } from "../../../shared/plan/proposal-text.ts";
import { installPlan } from "../../../shared/plan/set-plan.ts";
import { proposedText, writtenPlan } from "../../../shared/plan/written-plan.ts";
import { runs } from "../../harness/runs.ts";
import { shapes, type WrittenStep } from "./model-shapes.ts";
import { awkwardText } from "./plan-arbitrary.ts";
import { repositoryShapes } from "./repository-shapes.ts";

const read = (text: string) => proposedText(text, { plan: null, goal: "asked" });
const word = fc.constantFrom(
  ..."the parser `src/parse.ts` (13 sites) needs reading once; tests in test/main.ts: limit#one, 'two' and \"three\" stay — as they were for callers v1.2 of 20-30 words *each* e.g. #42".split(
    " ",
  ),
);
const phrase = (verbs: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...verbs), fc.array(word, { minLength: 1, maxLength: 24 }))
    .map(([verb, rest]) => `${verb} ${rest.join(" ")} now`);
const step: fc.Arbitrary<WrittenStep> = fc.record({
  title: phrase(["Add", "Move", "Write", "Let", "Rename"]),
  actions: fc.array(phrase(["edit", "look at", "keep"]), { minLength: 1, maxLength: 3 }),
  check: fc.constantFrom(
    "npm test",
    "npx tsc --noEmit -p tsconfig.json && ! grep -nE 'new TimeoutError' src/parse.ts",
    "npx ava test/main.ts --match='*imeout*' 2>&1 | tail -40",
    "cargo test -p parser",
  ),
});
const steps = fc.uniqueArray(step, { minLength: 2, maxLength: 7, selector: ({ title }) => title });

test.each(["Here is the revised plan.", "Here's my plan", "I have updated the plan.", "Revised plan below."])(
  "%s is not a goal: the previous one stays",
  (line) => {
    expect(read(`${line}\n\n## Steps\n1. Write note.md\n2. Sign it`).body.goal).toBe("asked");
    expect(read("Here is one store for plans.\n\n1. Write it\n2. Use it").body.goal).toBe(
      "Here is one store for plans.",
    );
  },
);

test("checkpoints of a text in our form are run if they are commands, as set_plan accepts them, and stay text elsewhere", () => {
  const text =
    "# Goal\n\nG\n\n# Plan\n\n1. Write it\n\n# Checkpoints\n\n- `npm test`\n- It reads well\n\n# Notes\n\nSlow.";
  const { body, markdown } = read(text);
  expect(body.checkpoints).toEqual([{ command: "npm test" }, "It reads well"]);
  expect(markdown).toContain("- check: npm test\n- It reads well");
  expect(markdown).toContain("# Notes\n\nSlow.");
  expect(parsePlan(markdown)).toMatchObject({ ok: true, body });
});

describe("a plan in the form of", () => {
  test.each([...shapes, ...repositoryShapes].map((shape) => [shape.seen, shape] as const))(
    "%s is read into its steps",
    (_, shape) => {
      fc.assert(
        fc.property(steps, (written) => {
          const plan = read(shape.write(written));
          expect(plan.body.steps.map(({ description }) => description)).toEqual(
            written.map(({ title }) => title),
          );
          if (shape.has.actions)
            expect(plan.body.steps.map(({ actions }) => actions)).toEqual(
              written.map(({ actions }) => actions),
            );
          if (shape.has.check)
            expect(plan.body.steps.map(({ checkpoint }) => checkpoint?.command)).toEqual(
              written.map(({ check }) => check),
            );
          expect(parsePlan(plan.markdown)).toEqual({ ok: true, body: plan.body });
          // Parsed again, the text gives the same plan.
          expect(read(plan.markdown)).toEqual(plan);
        }),
        { numRuns: runs(200, 10) },
      );
    },
  );
});

describe("reading a plan from plain text", () => {
  const body = (text: string) => read(text).body;

  test("the template of the plan mode document, verbatim", () => {
    const text = `Goal
<1–2 lines>

Plan
1. ...
2. ...
3. ...

Decision points
1) **Label** (single-select): <question prompt>
   1. <option title>
      <option description (optional)>
   2. ...
   5. (None) Type your answer
      Next

Checkpoints
- ...
- ...

Rollback
- ...`;
    expect(body(text)).toMatchObject({
      goal: "<1–2 lines>",
      steps: [{ description: "..." }, { description: "..." }, { description: "..." }],
      decisionPoints: [
        {
          label: "Label",
          type: "single_select",
          options: [
            { label: "<option title>", description: "<option description (optional)>" },
            { label: "..." },
          ],
        },
      ],
      checkpoints: ["...", "..."],
      rollback: ["..."],
    });
  });

  test("everything else is kept below # Notes, code with its step", () => {
    const { markdown } = read(
      "# Plan: Add a login\n\n## Risks\n| a | b |\n|---|---|\n\n## Steps\n1. Add it\n   ```ts\n   let x;\n   ```\n2. Test it\n\nTell me if not.",
    );
    expect(markdown).toBe(
      "# Goal\n\nAdd a login\n\n# Plan\n\n1. [s1] Add it\n2. [s2] Test it\n\n# Notes\n\n## Risks\n| a | b |\n|---|---|\n\nTell me if not.\n\nStep 1:\n\n```ts\nlet x;\n```",
    );
  });

  test.each([
    ["Check: npm test", "npm test"],
    ["Verify: `npm test` passes", "npm test"],
    ["Verify: run `npm test` and `npm run lint`", "npm test && npm run lint"],
    ["**Test:** ./scripts/check.sh --all", "./scripts/check.sh --all"],
    ["Validation: `mytool --check`", "mytool --check"],
    ["Verify: NODE_ENV=test npx vitest run | tail -5", "NODE_ENV=test npx vitest run | tail -5"],
  ])("%s is a command", (line, command) => {
    expect(body(`1. Do it\n   - ${line}\n2. Rest`).steps[0]).toMatchObject({ checkpoint: { command } });
  });

  test.each([
    "Verify: the page loads",
    "Check: make sure that it works",
    "Verify: `src/app.ts` exports `login`",
    "Test: go to the page and log in",
    "Verify: all tests pass.",
    "Check: node is running",
  ])("%s is text, which is never run", (line) => {
    expect(body(`1. Do it\n   - ${line}\n2. Rest`).steps[0]).toMatchObject({
      checkpoint: null,
      postconditions: [line.replace(/^\w+: /, "")],
    });
  });

  test('open questions with choices become questions, others stay lines, "none" is none', () => {
    const text = (points: string) => `## Steps\n1. a\n2. b\n\n## Open questions\n${points}`;
    expect(
      body(
        text(
          "1. **Store**: where is it kept?\n   - Cookies: sent along\n   - localStorage (recommended)\n2. Is IE needed?",
        ),
      ).decisionPoints,
    ).toEqual([
      {
        id: "q1",
        label: "Store",
        prompt: "where is it kept?",
        type: "single_select",
        options: [{ label: "Cookies", description: "sent along" }, { label: "localStorage (recommended)" }],
      },
      "Is IE needed?",
    ]);
    expect(body(text("None.")).decisionPoints).toEqual([]);
  });

  test("numbered chapters of a document are not steps where one of them is the plan", () => {
    expect(
      body(
        "## 1. Context\nSlow.\n\n## 2. Risks\nFew.\n\n## 3. Implementation steps\n1. Read once\n2. Test\n\n## 4. Testing\n- npm test",
      ).steps.map(({ description }) => description),
    ).toEqual(["Read once", "Test"]);
  });

  test("steps of the current plan keep their ids, and what was below them", () => {
    const first = read("1. Write the note\n   - Check: test -f note.txt\n2. Send it");
    const plan = installPlan(null, { ...first, hash: "h", source: "model" });
    const again = writtenPlan("1. Read the mail\n2. Write the note", { plan, goal: "" });
    expect(again.ok && again.body.steps).toMatchObject([
      { description: "Read the mail", checkpoint: null },
      { id: "s1", description: "Write the note", checkpoint: { command: "test -f note.txt" } },
    ]);
    const same = writtenPlan("Here it is again:\n- [ ] write the note\n- [ ] send it", {
      plan,
      goal: "asked",
    });
    expect(same).toMatchObject({ markdown: plan.markdown });
  });

  test("lists that start over below bold names are one plan where the text says so", () => {
    const text = "Here's the plan:\n\n**Backend**\n1. a\n2. b\n\n**Frontend**\n1. c\n2. d";
    expect(body(text).steps.map(({ description }) => description)).toEqual(["a", "b", "c", "d"]);
  });

  test("tables, letters and tags that are not steps do not become steps", () => {
    const texts = [
      "The options:\n\n| Option | Cost |\n|---|---|\n| JWT | low |\n| Session | high |",
      "Which store do you want?\n\nA) Cookies\nB) localStorage",
      "Which one?\n1. Cookies\n2. localStorage",
      "It is `<task>` in the file, and A. Smith wrote it.",
    ];
    expect(texts.map((text) => [looksLikePlan(text), body(text).steps])).toEqual(
      texts.map(() => [false, []]),
    );
  });

  test.each([
    ["1. Which store?\n   a) Cookies\n   b) localStorage", "Which store?", ["Cookies", "localStorage"]],
    ["Which tone?\nA. Short\nB. Long", "Which tone?", ["Short", "Long"]],
  ])("lettered choices below a question stay choices: %j", (points, prompt, labels) => {
    const text = `## Steps\n1. a\n2. b\n\n## Open questions\n${points}`;
    expect(body(text).decisionPoints).toMatchObject([
      { prompt, options: labels.map((label) => ({ label })) },
    ]);
  });

  test.each([
    ["tags that never close", `${"<step>".repeat(16_000)}</task>`],
    ["tags within tags", `<step>${"<a><b>".repeat(12_000)}</step>`],
    ["a long rule", `| a |\n|${"-".repeat(90_000)}x`],
    ["many tables", "|Task|\n|--|\n".repeat(8_000)],
    ["a long cell", `|Task|N|\n|--|--|\n|${"1".repeat(90_000)}abc|x|`],
  ])("%s are read in linear time", (_, text) => expect(body(text)).toBeDefined());

  test.each(["Copy the file with cp.", "# Plan\n\nJust do it.", "I see two ways:\n1. Ask\n2. Guess", ""])(
    "%j has no steps",
    (text) => expect(body(text).steps).toEqual([]),
  );
});

test("any text that a model proposes reads back as the plan it became", { tags: "random" }, () => {
  const line = fc.oneof(
    awkwardText,
    fc.constantFrom(
      "## Steps",
      "**Plan**",
      "Rollback",
      "### Step 1: x",
      "1. a",
      "2. b",
      "   - c",
      "   Check: npm test",
      "- [ ] d",
      "## Open questions",
      "## Verification",
      "<plan>",
      "<step>e</step>",
      "<task><name>f</name><verify>npm test</verify></task>",
      "</plan>",
      "| # | Task | Verify |",
      "|---|---|---|",
      "| 1 | g | `npm test | tail` |",
      "a) h",
      "II. i",
      "```sh",
      "```",
      "",
    ),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 14 }), (lines) => {
      const plan = read(lines.join("\n"));
      expect(parsePlan(plan.markdown)).toEqual({ ok: true, body: plan.body });
    }),
    { numRuns: runs(3000, 300), examples: [[["[truncated: kept 1 of 2 chars]", "# Plan"]]] },
  );
});
