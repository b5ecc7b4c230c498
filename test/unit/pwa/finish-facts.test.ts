import { expect, test } from "vitest";
import { finishFacts } from "../../../pwa/transcript/finish-facts.ts";
import { finishText } from "../../../shared/plan/finish-summary.ts";

test("the engine's summary is shown in a line or two", () => {
  const text = finishText({
    kind: "finish",
    version: 2,
    goal: "Limit per token",
    steps: [
      { id: "s1", description: "Add it", status: "done" },
      { id: "s2", description: "Use it", status: "skipped", note: "not needed" },
    ],
    checks: [
      { stepId: "s1", command: "npm test", exitCode: 0 },
      { command: "npm run e2e", exitCode: null, timedOut: true, limitMs: 300_000 },
      { command: "npm run lint", exitCode: null, notRun: "no jail" },
    ],
    files: [{ path: "src/a b.ts", added: 12, removed: 3 }],
    decisions: [],
    rollbacks: [],
  });
  expect(finishFacts(text)).toEqual({
    goal: "Limit per token",
    facts: ["1 of 2 steps, 1 skipped", "1 of 3 checks passed, 1 could not be run, 1 ran out of time"],
    open: [
      "Did not pass: npm run e2e: ran out of time after 300 s",
      "Not run: npm run lint: could not be run: no jail",
    ],
    files: { "src/a b.ts": { added: 12, removed: 3 } },
  });
});

test("a plan of one step with one check has no count of one in one", () => {
  const step = { id: "s1", description: "Add it", status: "done" as const };
  const report = {
    ...{ kind: "finish" as const, version: 1, goal: "Limit per token", steps: [step], files: [] },
    ...{ checks: [{ stepId: "s1", command: "npm test", exitCode: 0 }], decisions: [], rollbacks: [] },
  };
  expect(finishFacts(finishText(report)).facts).toEqual(["1 step", "1 check passed"]);
  const skipped = finishText({ ...report, steps: [{ ...step, status: "skipped" }], checks: [] });
  expect(finishFacts(skipped).facts).toEqual(["0 of 1 step, 1 skipped"]);
});

test("a summary in another form shows its first line", () => {
  expect(finishFacts("All is done.\nIndeed.")).toEqual({
    goal: "All is done.",
    facts: [],
    open: [],
    files: {},
  });
});
