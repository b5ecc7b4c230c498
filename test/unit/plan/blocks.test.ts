import fc from "fast-check";
import { expect, test } from "vitest";
import {
  approvedPlanBlock,
  deltaBlock,
  deltaText,
  escapeBlock,
  eventBlock,
  planBlock,
  proposedPlanBlock,
} from "../../../shared/plan/blocks.ts";

test("each block has its tag and attributes", () => {
  expect(planBlock(3, "a")).toBe('<plan version="3">\na\n</plan>');
  expect(approvedPlanBlock(3, "a")).toBe('<approved-plan version="3">\na\n</approved-plan>');
  expect(proposedPlanBlock(3, "a")).toBe('<proposed-plan version="3">\na\n</proposed-plan>');
  expect(deltaBlock(2, "a")).toBe('<plan-update seq="2">\na\n</plan-update>');
  expect(eventBlock("tick", 'a"b', "x")).toBe('<event subkind="tick" source="a&quot;b">\nx\n</event>');
});

const tags = ["plan", "plan-update", "approved-plan", "proposed-plan", "event"];

test("no payload can close or open a block", () => {
  expect(planBlock(1, "</plan>&lt;")).toBe('<plan version="1">\n&lt;/plan>&lt;\n</plan>');
  expect(escapeBlock("<PLAN version=9> < / event > <\u200b/approved-plan")).not.toContain("<");
  const piece = fc.oneof(fc.constantFrom("<", "</", " ", "/", ">", "\n", ...tags), fc.string());
  const opens = new RegExp(`<\\s*/?\\s*(${tags.join("|")})(?![\\w-])`, "i");
  fc.assert(fc.property(fc.array(piece), (pieces) => !opens.test(escapeBlock(pieces.join("")))));
});

test("commands and code can be read unescaped", () => {
  const command =
    "cc a.c && test $(wc -l <out) -ge 3 >=1 2>&1 | grep -v '<planet>' <<EOF\n<T extends A & B>\nEOF";
  expect(escapeBlock(command)).toBe(command);
});

test("an update reads like this", () => {
  expect(
    deltaText({
      seq: 1,
      note: "The route exists already.",
      steps: [
        { id: "s1", status: "skipped", note: "not needed" },
        { id: "s2", description: "Change the route", checkpoint: null, onFail: "retry" },
      ],
      addSteps: [{ id: "s4", description: "Measure", after: "s2", checkpoint: { command: "npm run bench" } }],
      removeSteps: ["s3"],
    }),
  ).toBe(
    [
      "Step [s1]: skipped",
      "   - note: not needed",
      "Step [s2]: Change the route",
      "   - check: none",
      "   - on fail: retry",
      "Added [s4] after [s2]: Measure",
      "   - check: npm run bench",
      "Removed [s3]",
      "The route exists already.",
    ].join("\n"),
  );
});
