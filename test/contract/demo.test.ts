// The scripted demo on the sample project, with the whole product as `npm start` starts it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Conversation, dataOf } from "../harness/conversation.ts";
import { type Product, startProduct } from "../harness/product.ts";

let product: Product;
beforeAll(async () => {
  product = await startProduct({ env: { HANDRAIL_DEMO_DELAY_MS: "0" } });
});
afterAll(() => product?.close());

async function begin(mode: "normal" | "plan"): Promise<Conversation> {
  const headers = { authorization: `Bearer ${product.token}`, "content-type": "application/json" };
  const response = await fetch(`${product.url}/api/sandboxes`, { method: "POST", headers, body: "{}" });
  const { sandboxId } = (await response.json()) as { sandboxId: string };
  return new Conversation({ url: product.url, token: product.token }, sandboxId, mode);
}

function lastText(conversation: Conversation): string {
  return conversation.messages.findLast((message) => message.role === "assistant")?.content ?? "";
}

async function fileOf(conversation: Conversation, path: string): Promise<string> {
  const url = `${product.url}/api/sandboxes/${conversation.sandboxId}/file?path=${path}`;
  return (await fetch(url, { headers: { authorization: `Bearer ${product.token}` } })).text();
}

/** From the first message to the proposal; the questions are answered with `raw`. */
async function planned(raw: string): Promise<Conversation> {
  const conversation = await begin("plan");
  const asked = dataOf(
    await conversation.say("Limit each API token to 100 requests a minute. Keep the per-IP limit."),
    "questions",
  );
  expect(asked.questions).toHaveLength(1);
  await conversation.turn({
    type: "answers",
    toolCallId: asked.toolCallId,
    answers: [{ id: asked.questions[0]?.id ?? "", raw }],
    run: false,
  });
  dataOf(conversation.events, "proposal");
  return conversation;
}

/**
 * The plan after the person has edited it line by line. The engine receives the new text with the next turn.
 */
function edit(conversation: Conversation, change: (line: string) => string): void {
  const { plan } = conversation;
  if (plan === null) throw new Error("there is no plan to edit");
  conversation.plan = { ...plan, markdown: plan.markdown.split("\n").map(change).join("\n") };
}

const makers: [raw: string, maker: string][] = [
  ["1", "slidingWindow"],
  ["2", "fixedWindow"],
  ["3", "tokenBucket"],
];

describe("the scripted demo", () => {
  for (const [raw, maker] of makers)
    test(`plans, asks, is approved, edits and tests: answer ${raw} becomes ${maker}`, {
      tags: raw === "1" ? [] : "long",
    }, async () => {
      const conversation = await planned(raw);
      expect(conversation.plan?.markdown).toContain(maker);
      expect(await fileOf(conversation, "src/gateway.js")).not.toContain("perToken");
      const events = await conversation.approve();
      expect(dataOf(events, "turn.done").reason).toBe("stop");
      expect(conversation.plan?.steps.map(({ status }) => status)).toEqual(["done", "done", "done", "done"]);
      expect(conversation.plan?.status).toBe("done");
      expect(await fileOf(conversation, "src/gateway.js")).toContain(`const perToken = ${maker}(`);
      expect(conversation.result("run_command").content).toMatch(/^exit 0/);
      expect(lastText(conversation)).toContain("passes: 6 tests, 0 failed");
      expect(conversation.messages.some(({ content }) => content.includes("changed wording"))).toBe(false);
    });

  test("feedback changes the plan, and the changed plan is the one that is carried out", {
    tags: "long",
  }, async () => {
    const conversation = await planned("1");
    const { planVersion } = dataOf(conversation.events, "proposal");
    await conversation.turn({ type: "reject", planVersion, feedback: "Use a token bucket instead." });
    expect(conversation.plan?.markdown).toContain("tokenBucket");
    expect(conversation.plan?.markdown).toContain("Use a token bucket instead.");
    await conversation.approve("auto");
    expect(await fileOf(conversation, "src/limiter.js")).toContain("function tokenBucket(");
    expect(lastText(conversation)).toContain("passes");
  });

  test("goes back to a step and repeats it", { tags: "long" }, async () => {
    const conversation = await planned("2");
    await conversation.approve();
    await conversation.turn({ type: "rewind", stepId: "s3" });
    await conversation.turn({ type: "continue" });
    expect(conversation.plan?.steps.map(({ status }) => status)).toEqual(["done", "done", "done", "done"]);
    expect(await fileOf(conversation, "src/answers.js")).toContain("retry-after");
    expect(lastText(conversation)).toContain("passes");
  });

  const unknownAnswers: [raw: string, label: string, maker: string][] = [
    ["something with redis", "Sliding window", "slidingWindow"],
    ["Leaky bucket, please, with 10 s bursts.", "Sliding window", "slidingWindow"],
    ["Token bucket with 10 s bursts", "Token bucket", "tokenBucket"],
  ];
  for (const [raw, label, maker] of unknownAnswers)
    test(`says that it does not understand "${raw}" and chooses ${label}`, { tags: "long" }, async () => {
      const conversation = await planned(raw);
      const said = `My script does not know "${raw}": it has its three options only. It takes ${label} instead.`;
      expect(conversation.messages.some(({ content }) => content === said)).toBe(true);
      expect(conversation.messages.some(({ content }) => content.includes("as you chose"))).toBe(false);
      expect(conversation.plan?.markdown).toContain(`Use ${maker} in`);
      expect(conversation.plan?.markdown).toContain(`(your answer "${raw}" is not in the demo's script)`);
      await conversation.approve();
      expect(await fileOf(conversation, "src/gateway.js")).toContain(`const perToken = ${maker}(`);
    });

  test("an option typed exactly as shown counts as chosen", { tags: "long" }, async () => {
    const conversation = await planned("token bucket");
    expect(conversation.messages.some(({ content }) => content === "Token bucket, as you chose.")).toBe(true);
  });

  test("feedback that names no option changes nothing, and the demo says that it did not understand it", {
    tags: "long",
  }, async () => {
    const conversation = await planned("2");
    const { planVersion } = dataOf(conversation.events, "proposal");
    await conversation.turn({ type: "reject", planVersion, feedback: "A leaky bucket with bursts." });
    const said =
      'My script does not know "A leaky bucket with bursts.": it has its three options only. It takes Fixed minute instead.';
    expect(conversation.messages.some(({ content }) => content === said)).toBe(true);
    expect(conversation.plan?.markdown).toContain("Use fixedWindow in");
  });

  test("does its work for steps whose wording the person changed", { tags: "long" }, async () => {
    const conversation = await planned("3");
    edit(conversation, (line) =>
      line.replace(/^(\d\. \[s\d\]) .*/, (_, head: string) => `${head} In my <own> words, number ${head}`),
    );
    const events = await conversation.approve();
    expect(dataOf(events, "turn.done").reason).toBe("stop");
    expect(conversation.plan?.steps.map(({ status }) => status)).toEqual(["done", "done", "done", "done"]);
    expect(await fileOf(conversation, "src/gateway.js")).toContain("const perToken = tokenBucket(");
    expect(
      conversation.messages.some(({ content }) =>
        content.includes("I cannot read the changed wording of step s1; I do what my script has for it."),
      ),
    ).toBe(true);
    expect(lastText(conversation)).toContain("passes: 6 tests, 0 failed");
  });

  test("recognizes a reworded step without an id by its position", { tags: "long" }, async () => {
    const conversation = await planned("1");
    edit(conversation, (line) => line.replace(/^2\. \[s2\] .*/, "2. Count in the gateway"));
    await conversation.approve();
    expect(conversation.plan?.steps.map(({ status }) => status)).toEqual(["done", "done", "done", "done"]);
    expect(lastText(conversation)).toContain("passes: 6 tests, 0 failed");
  });

  test("skips a step that the person added, and says why", { tags: "long" }, async () => {
    const conversation = await planned("1");
    edit(conversation, (line) => line.replace(/^(2\. \[s2\] .*)/, "2. Write a changelog\n$1"));
    await conversation.approve();
    const steps = conversation.plan?.steps ?? [];
    expect(steps.map(({ status }) => status)).toEqual(["done", "skipped", "done", "done", "done"]);
    expect(steps[1]?.note).toBe("the demo's script does not know this step");
    const said = `My script does not know step ${steps[1]?.id}, so I skip it: Write a changelog`;
    expect(conversation.messages.some(({ content }) => content === said)).toBe(true);
    expect(lastText(conversation)).toContain("passes: 6 tests, 0 failed");
  });

  test("fixes the failing test directly in normal mode", { tags: "long" }, async () => {
    const conversation = await begin("normal");
    await conversation.say("Fix the failing test.");
    expect(lastText(conversation)).toContain("passes: 6 tests, 0 failed");
    await conversation.say("Fix the failing test.");
    expect(lastText(conversation)).toContain("I changed nothing");
  });

  test("explains that it is a demo when asked something else", { tags: "long" }, async () => {
    const conversation = await begin("normal");
    await conversation.say("What is the capital of France?");
    expect(lastText(conversation)).toContain("scripted demo, not a model");
    expect(lastText(conversation)).toContain("OPENAI_API_KEY");
  });
});
