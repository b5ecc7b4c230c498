// A check that the sandbox cannot run has neither passed nor failed: who is told about it, and how it is run
// again.
import { afterAll, beforeAll, expect, test } from "vitest";
import { SandboxAnswer } from "../../shared/api.ts";
import type { ModelReply } from "../fakes/model-reply.ts";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { Conversation, dataOf } from "../harness/conversation.ts";
import { failingJail } from "../harness/failing-jail.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { ask, post } from "./http/request.ts";
import { exitPlan, reportsOf, setPlan, statusesOf, step, write } from "./turns/plan-script.ts";

const asks = "echo none-left";
const jail = failingJail(asks);
const snapshots = failingJail("write-tree", jail.path);
let product: Product;
let model: ModelServer;

beforeAll(async () => {
  model = await startModelServer([]);
  product = await startProduct({
    env: {
      PATH: snapshots.path,
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: "sk-test",
      HANDRAIL_MODEL: "scripted",
    },
  });
});
afterAll(async () => {
  await product.close();
  await model.close();
  jail.remove();
  snapshots.remove();
});

async function planned(steps: unknown[], more = {}): Promise<Conversation> {
  model.play([{ calls: [setPlan("Do it", steps, more), exitPlan] }]);
  const { json } = await ask(product, "/api/sandboxes", post({ source: { sample: true } }));
  const talk = new Conversation(product, SandboxAnswer.parse(json).sandboxId, "plan");
  await talk.say("Plan");
  return talk;
}

const reports: ModelReply = { calls: [step("s1", "done", "wrote it")] };
const two = [
  { id: "s1", description: "Write", checkpoint: { command: asks }, onFail: "rollback" },
  { id: "s2", description: "Rest" },
];

test("it is not a failure: the step stays, the model is told why, and after the second time the person retries", async () => {
  jail.fail(true);
  const talk = await planned(two);
  model.play([reports, reports]);
  const events = await talk.approve();
  expect(dataOf(events, "turn.done")).toEqual({ reason: "stop", rounds: 2, steps: { over: 0, total: 2 } });
  expect(statusesOf(talk)).toEqual(["s1 active", "s2 pending"]);
  const why = "The command was not run: its jail could not be made.";
  expect(talk.plan?.steps[0]).toMatchObject({ note: `its check could not be run: ${why}`, noteBy: "engine" });
  expect(reportsOf(talk)).toMatchObject([
    { passed: false, exitCode: null, notRun: why, note: "wrote it" },
    { passed: false, exitCode: null, notRun: why, note: "wrote it" },
  ]);
  const results = talk.messages.filter(({ role }) => role === "tool").slice(-2);
  expect(results.map(({ content }) => content.split("\n").slice(0, 3))).toEqual([
    [
      `The checkpoint of step s1 could not be run: ${why}`,
      "Not checked: the sandbox could not run the check, so it neither passed nor failed.",
      "Report step s1 done again to run it once more. If the command itself is the reason, change it first with update_plan.",
    ],
    [
      ...[
        `The checkpoint of step s1 could not be run: ${why}`,
        expect.stringContaining("neither passed nor failed"),
      ],
      "It was tried twice: the turn ends here, and the person can run it again.",
    ],
  ]);

  jail.fail(false);
  model.play([{ calls: [step("s2", "done", "rested")] }, { text: "Done." }]);
  await talk.turn({ type: "continue" });
  expect(talk.plan).toMatchObject({ status: "done", steps: [{ note: "wrote it", noteBy: "model" }, {}] });
  expect(reportsOf(talk).at(-1)).toMatchObject({
    checks: [{ stepId: "s1", exitCode: 0 }],
    earlier: [{ notRun: why }, { notRun: why }],
  });
  expect(talk.messages.findLast(({ content }) => content.startsWith("Finished:"))?.content).toContain(
    `Checks: 1 of 1 passed\n- Step 1: passed\n\nEarlier attempts, not counted\n- Step 1: could not be run: ${why}\n`,
  );
});

test("what was done or said since is presented to the model again", async () => {
  jail.fail(true);
  const talk = await planned(two);
  model.play([reports, reports]);
  await talk.approve();
  jail.fail(false);
  model.play([{ text: "It is red." }]);
  await talk.say("Which colour is it?");
  model.play([{ text: "ok" }]);
  await talk.turn({ type: "continue" });
  expect(reportsOf(talk)).toHaveLength(2);
  expect(statusesOf(talk)).toEqual(["s1 active", "s2 pending"]);
});

const report = (talk: Conversation) =>
  talk.messages.findLast(({ content }) => content.startsWith("Finished:"))?.content;

test("a check of the whole plan that could not run leaves the plan open until it is run again", {
  tags: "long",
}, async () => {
  jail.fail(true);
  const talk = await planned([{ id: "s1", description: "Write" }], {
    checkpoints: [{ command: "true" }, { command: asks }],
  });
  model.play([reports, { text: "Written." }]);
  const events = await talk.approve();
  expect(talk.result("update_plan").content).toContain(
    "The plan's check 2 could not be run: The command was not run: its jail could not be made.\nAll steps are finished. The plan is not: its check 2 has neither passed nor failed. The person can run it again, or call the plan finished; say in a line what is done, and stop.",
  );
  expect(dataOf(events, "turn.done")).toEqual({ reason: "stop", rounds: 2 });
  expect([talk.plan?.status, report(talk)]).toEqual(["executing", undefined]);
  model.play([]);
  await talk.turn({ type: "continue" });
  expect([talk.plan?.status, reportsOf(talk).length]).toEqual(["executing", 3]);
  jail.fail(false);
  model.play([{ text: "Done." }]);
  await talk.turn({ type: "continue" });
  expect(talk.plan?.status).toBe("done");
  expect(report(talk)).toContain("Checks: 2 of 2 passed\n- true: passed\n- echo none-left: passed\n");
  expect(reportsOf(talk).filter(({ command }) => command === "true")).toHaveLength(1);
});

test("one that nobody can run is counted separately where the person marks the plan as finished", {
  tags: "long",
}, async () => {
  jail.fail(true);
  const talk = await planned([{ id: "s1", description: "Write" }], {
    checkpoints: [{ command: asks }, { command: "true" }],
  });
  model.play([reports, { text: "Written." }]);
  await talk.approve();
  jail.fail(false);
  await talk.turn({ type: "close", as: "done" });
  expect(report(talk)).toContain(
    "Checks: 1 of 2 passed, 1 could not be run\n- echo none-left: could not be run: ",
  );
});

test("one that timed out has more time when it is run again", { tags: "long" }, async () => {
  const command = "[ -e slow ] || { touch slow; sleep 2; }";
  const talk = await planned([{ id: "s1", description: "Write" }], {
    checkpoints: [{ command, timeoutMs: 1_000 }],
  });
  model.play([reports, { text: "Written." }]);
  await talk.approve();
  expect(talk.result("update_plan").content).toContain("The person can run it again, with more time, or");
  model.play([{ text: "Done." }]);
  await talk.turn({ type: "continue" });
  expect(talk.plan?.status).toBe("done");
  expect(reportsOf(talk).filter(({ kind }) => kind === "checkpoint")).toMatchObject([
    { timedOut: true, limitMs: 1_000 },
    { passed: true },
  ]);
});

test("a step without a snapshot of its start is not rolled back, and the model and the person are told", async () => {
  const talk = await planned([{ ...two[0], checkpoint: { command: "false" } }, two[1]]);
  snapshots.fail(true);
  model.play([{ calls: [write("made.txt")] }, reports, { text: "ok" }]);
  await talk.approve();
  snapshots.fail(false);
  expect(talk.messages.some(({ content }) => content.includes("no snapshot could be taken"))).toBe(true);
  expect(talk.result("update_plan").content).toContain(
    "Nothing was rolled back: no snapshot of its start could be taken.\nThe later steps wait for the person. Call ask_user",
  );
  expect(reportsOf(talk)).not.toContainEqual(expect.objectContaining({ kind: "rollback" }));
  expect(statusesOf(talk)).toEqual(["s1 failed", "s2 pending"]);
  expect(talk.plan?.steps[0]?.note).toBe("its check failed: exit 1; not rolled back: it has no snapshot");
});
