import { expect, test } from "vitest";
import { unknownField } from "../../../functions/routes/unknown-field.ts";
import { TurnRequest } from "../../../shared/turn.ts";

const step = {
  id: "s1",
  description: "one",
  actions: [],
  preconditions: [],
  postconditions: [],
  checkpoint: null,
  onFail: "ask",
  status: "pending",
};
const plan = {
  version: 1,
  supersedes: null,
  source: "model",
  hash: "h",
  status: "draft",
  round: 0,
  markdown: "",
  goal: "",
  steps: [step],
  decisionPoints: [],
  checkpoints: [],
  rollback: [],
  decisions: [],
  deltas: [],
};
const common = { id: "m1", content: "", createdAt: 1, mode: "normal" };
const request = (more: object) => ({
  protocol: 1,
  turnId: "t",
  sandboxId: "s",
  mode: "normal",
  input: { type: "continue" },
  ...more,
});

test.each([
  [request({ plan: { ...plan, steps: [step, { ...step, colour: 1 }] } }), "body.plan.steps[1]", "colour"],
  [
    request({ plan: { ...plan, steps: [{ ...step, checkpoint: { command: "x", shell: 1 } }] } }),
    "body.plan.steps[0].checkpoint",
    "shell",
  ],
  [
    request({
      messages: [
        {
          ...common,
          role: "assistant",
          finish: "stop",
          usage: { inputTokens: 1, outputTokens: 1, cachedTokens: 0, sum: 2 },
        },
      ],
    }),
    "body.messages[0].usage",
    "sum",
  ],
])("%j: an unknown field is reported with its path", (sent, place, field) => {
  expect(unknownField(sent, TurnRequest.parse(sent))).toBe(
    `${place}: unknown field "${field}"; leave it out.`,
  );
});

test("free-form fields may hold anything, and an omitted field is not unknown", () => {
  const event = { subkind: "tick", source: "x", data: { any: { thing: [1, { deep: null }] } } };
  const sent = request({ plan, messages: [{ ...common, role: "event", extra: { event } }] });
  expect(unknownField(sent, TurnRequest.parse(sent))).toBeUndefined();
});

test("a field that every object inherits is unknown, too", () => {
  expect(unknownField({ input: { constructor: 1 } }, { input: {} })).toContain('unknown field "constructor"');
});
