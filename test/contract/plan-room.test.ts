import { afterAll, beforeAll, expect, test } from "vitest";
import { SandboxAnswer } from "../../shared/api.ts";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { Conversation, dataOf } from "../harness/conversation.ts";
import { type RunningEdge, startEdge } from "../harness/edge-in-process.ts";
import { postTurn } from "../harness/sse.ts";
import { ask, post } from "./http/request.ts";
import { exitPlan, setPlan } from "./turns/plan-script.ts";

let model: ModelServer;
let edge: RunningEdge;
beforeAll(async () => {
  model = await startModelServer([{ calls: [setPlan(), exitPlan] }]);
  edge = await startEdge(model.url, { HANDRAIL_CONTEXT_WINDOW: "16000" });
});
afterAll(async () => {
  await edge.close();
  await model.close();
});

test("a plan too large for the model's window fails before the call with a message, and nothing is lost", async () => {
  const { json } = await ask(edge, "/api/sandboxes", post({}));
  const talk = new Conversation(edge, SandboxAnswer.parse(json).sandboxId, "plan");
  await talk.say("Plan");
  const asked = model.requests.length;
  const long = talk.plan && {
    ...talk.plan,
    markdown: `${talk.plan.markdown}\n   - action: ${"write more ".repeat(6_000)}`,
  };
  const refused = await postTurn(edge, talk.body({ type: "message", text: "Go on" }, { plan: long }));
  expect(refused.status).toBe(413);
  expect(await refused.json()).toMatchObject({
    error: {
      code: "too_large",
      message: expect.stringMatching(
        /^plan\.markdown: the plan takes about \d+ tokens and this model has room for about \d+\. Shorten the plan/,
      ),
      details: { field: "plan.markdown" },
    },
  });
  expect(model.requests.length).toBe(asked);
  model.play([{ text: "All well." }]);
  expect(dataOf(await talk.say("Go on"), "turn.done").reason).toBe("stop");
});

test("one that the model writes itself fails before the next call with the same message", async () => {
  const { json } = await ask(edge, "/api/sandboxes", post({}));
  const talk = new Conversation(edge, SandboxAnswer.parse(json).sandboxId, "plan");
  const asked = model.requests.length;
  model.play([{ calls: [setPlan("Write a lot", [{ description: "write more ".repeat(6_000) }])] }]);
  expect(dataOf(await talk.say("Plan"), "turn.failed").error).toMatchObject({
    code: "too_large",
    message: expect.stringMatching(/^plan\.markdown: the plan takes about \d+ tokens .* Shorten the plan/),
    details: { field: "plan.markdown" },
  });
  expect(model.requests.length).toBe(asked + 1);
  // The person can shorten the plan; nothing is lost.
  if (talk.plan) talk.plan = { ...talk.plan, markdown: "# Goal\n\nWrite a lot\n\n# Plan\n\n1. [s1] Less" };
  model.play([{ text: "All well." }]);
  expect(dataOf(await talk.say("Go on"), "turn.done").reason).toBe("proposed");
});
