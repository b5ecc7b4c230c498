// The rejected plan in its state at that time, even if the next one has the same number.
import { expect, test } from "vitest";
import { rejectedPlan } from "../../../pwa/transcript/rejected-plan.ts";
import type { Message } from "../../../shared/message.ts";
import { renderPlan } from "../../../shared/plan/markdown.ts";
import { buildBody } from "../../../shared/plan/plan-body.ts";
import type { Plan } from "../../../shared/plan/plan-file.ts";
import type { Entry } from "../../../shared/session/session-state.ts";

const built = buildBody({
  goal: "Names",
  steps: [{ description: "Add a type" }, { description: "Fill it" }],
});
if (!built.ok) throw new Error(built.problem);
const plan: Plan = {
  ...{ version: 1, supersedes: null, source: "model", hash: "h", status: "draft", round: 0 },
  ...{ markdown: renderPlan(built.body), decisions: [], deltas: [] },
  ...built.body,
  steps: built.body.steps.map((step) => ({ ...step, status: "pending" as const })),
};

let last = 0;
const entryOf = (data: object): Entry => {
  last += 1;
  return { turnId: "t", id: last, ...data } as Entry;
};
const said = (message: object): Entry =>
  entryOf({
    event: "message",
    data: { message: { id: `m${last}`, createdAt: 1, mode: "plan", ...message } as Message },
  });
const installed = said({ role: "plan", content: "", extra: { plan } });
const update = (id: string, args: object): Entry[] => [
  said({
    role: "assistant",
    content: "",
    toolCalls: [{ id, name: "update_plan", arguments: JSON.stringify(args) }],
  }),
  said({
    ...{ role: "event", content: "" },
    extra: { event: { subkind: "plan_delta", source: "update_plan", data: { toolCallId: id } } },
  }),
];
const proposed = () => entryOf({ event: "proposal", data: { planVersion: 1, planHash: "h" } });
const rejected = () => said({ role: "user", content: "Call it limit.", rejects: 1 });
const titles = (found: Plan | undefined) => found?.steps.map(({ description }) => description);

test("updates before the rejection are in it, those after it are not", () => {
  const entries = [
    installed,
    ...update("c1", { steps: [{ id: "s1", description: "Add timeoutType" }] }),
    proposed(),
    rejected(),
    ...update("c2", { steps: [{ id: "s1", description: "Add limit" }], removeSteps: ["s2"] }),
    proposed(),
  ];
  expect(titles(rejectedPlan(entries))).toEqual(["Add timeoutType", "Fill it"]);
});

test("a message while a plan waits rejects nothing, and an unreadable update changes nothing", () => {
  expect(rejectedPlan([installed, proposed(), said({ role: "user", content: "And?" })])).toBeUndefined();
  const entries = [
    installed,
    ...update("c1", { steps: [{ id: "nobody", description: "x" }] }),
    proposed(),
    rejected(),
    proposed(),
  ];
  expect(titles(rejectedPlan(entries))).toEqual(["Add a type", "Fill it"]);
});

test("a rejected plan is not compared with itself while the next one is made", () => {
  const before = [installed, proposed(), rejected()];
  expect(rejectedPlan(before)).toBeUndefined();
  expect(titles(rejectedPlan([...before, proposed()]))).toEqual(["Add a type", "Fill it"]);
});
