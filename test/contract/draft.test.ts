// POST /api/draft and /api/second-opinion: texts that the model writes for the person outside of any turn.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { gate } from "../harness/gate.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { ask, post } from "./http/request.ts";

let model: ModelServer;
let product: Product;
beforeAll(async () => {
  model = await startModelServer([{ text: "unused" }], { drafts: true });
  product = await startProduct({
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "test-key-of-the-server", HANDRAIL_MODEL: "scripted" },
  });
});
afterAll(async () => {
  await product.close();
  await model.close();
});

const Answered = z.object({
  text: z.optional(z.string()),
  error: z.optional(z.object({ code: z.string() })),
});

async function draft(body: object, headers: Record<string, string> = {}) {
  const asked = post(body);
  const { status, json } = await ask(product, "/api/draft", {
    ...asked,
    headers: { ...Object.fromEntries(new Headers(asked.headers)), ...headers },
  });
  return { status, body: z.parse(Answered, json) };
}

test.each([
  ["Jitter for retries", "Jitter for retries"],
  ['"Jitter for retries."', "Jitter for retries"],
  ["## `Jitter` for retries\n", "Jitter for retries"],
])("a session gets a title of one line: %j", async (text, title) => {
  model.play([{ text }]);
  const { status, body } = await draft({ kind: "title", text: "Add an option retry.jitter to ky" });
  expect([status, body.text]).toEqual([200, title]);
  const [system, user] = model.requests.at(-1)?.body.messages ?? [];
  expect(system?.content).toContain("six words");
  expect(user?.content).toBe("Add an option retry.jitter to ky");
  expect(model.requests.at(-1)?.body.tools).toBeUndefined();
});

test.each([["Here is a name:\nJitter"], ["a ".repeat(60)], [" "]])(
  "%j is not accepted as a title",
  async (text) => {
    model.play([{ text }]);
    const { status, body } = await draft({ kind: "title", text: "Add jitter" });
    expect([status, body.error]).toEqual([502, { code: "model_error" }]);
  },
);

test("a commit message is taken out of its code fence, without any key in it", async () => {
  model.play([{ text: "```\nAdd jitter to retries\n\nThe key is test-key-of-the-server.\n```" }]);
  const { body } = await draft({ kind: "commit", text: "M source/core/Ky.ts +12 -3" });
  expect(body.text).toMatch(/^Add jitter to retries\n\nThe key is (?!test-key)/);
});

test("a draft shows marks for what does not show, and is kept to its length", async () => {
  model.play([{ text: "Add\u202e jitter" }, { text: `Add\u202e jitter\n\n${"x".repeat(9_000)}` }]);
  expect((await draft({ kind: "title", text: "Add jitter" })).body.text).toBe("Add⟨U+202E⟩ jitter");
  const { text = "" } = (await draft({ kind: "commit", text: "M a.ts +1 -1" })).body;
  expect(text).toMatch(/^Add⟨U\+202E⟩ jitter\n\nx+$/);
  expect(text.length).toBeLessThan(4_010);
});

test("drafts use the person's own key", async () => {
  model.play([{ text: "Jitter" }]);
  await draft({ kind: "title", text: "Add jitter" }, { "x-model-key": "own-key-of-the-person" });
  expect(model.requests.at(-1)?.headers.authorization).toBe("Bearer own-key-of-the-person");
});

test("an unknown kind of draft, and one from too much or no text, is refused", async () => {
  expect((await draft({ kind: "poem", text: "x" })).status).toBe(400);
  expect((await draft({ kind: "title", text: "x".repeat(60_001) })).status).toBe(400);
  expect((await draft({ kind: "title", text: " " })).status).toBe(400);
});

describe("a second opinion", () => {
  const plan = {
    task: "Add jitter to retries",
    plan: "# Goal\n\nJitter\n\n# Plan\n\n1. Change the delay\n2. Test it",
    steps: [
      { id: "s1", description: "Change the delay" },
      { id: "s2", description: "Test it" },
    ],
  };
  const Opinion = z.object({
    model: z.object({ id: z.string() }),
    points: z.array(z.object({ stepId: z.optional(z.string()), text: z.string() })),
  });
  const review = async (body: object) => ask(product, "/api/second-opinion", post(body));

  test("has at most five points, each about one step (by its id) or about the whole plan", async () => {
    const points = Array.from({ length: 7 }, (_, index) => ({ step: index, text: `Point ${index}` }));
    model.play([{ text: `\`\`\`json\n${JSON.stringify({ points })}\n\`\`\`` }]);
    const { status, json } = await review(plan);
    expect(status).toBe(200);
    expect(z.parse(Opinion, json)).toEqual({
      model: { id: "scripted" },
      points: [
        { text: "Point 0" },
        { stepId: "s1", text: "Point 1" },
        { stepId: "s2", text: "Point 2" },
        { text: "Point 3" },
        { text: "Point 4" },
      ],
    });
    const [system, user] = model.requests.at(-1)?.body.messages ?? [];
    expect(system?.content).toContain("at most 5 points");
    for (const sent of ["Add jitter to retries", "1. Change the delay", "2. Test it"])
      expect(user?.content).toContain(sent);
  });

  test("is asked for with the steps by number once: not again where the plan numbers them itself", async () => {
    const plans = [plan.plan, "# Goal\n\nJitter\n\n# Plan\n\n1. [s1] Change the delay\n2. [s2] Test it"];
    for (const [index, text] of plans.entries()) {
      model.play([{ text: '{"points": []}' }]);
      await review({ ...plan, plan: text });
      const sent = String(model.requests.at(-1)?.body.messages[1]?.content);
      expect(sent.includes("# Its steps by number")).toBe(index === 0);
    }
  });

  test("is also read from a list, and may have no objections", async () => {
    model.play([{ text: "Two things:\n1. **Step 2**: it tests nothing.\n2. No way back." }]);
    expect(z.parse(Opinion, (await review(plan)).json).points).toEqual([
      { stepId: "s2", text: "it tests nothing." },
      { text: "No way back." },
    ]);
    model.play([{ text: '{"points": []}' }]);
    expect(z.parse(Opinion, (await review(plan)).json).points).toEqual([]);
  });

  test("whose answer was lost is returned under its key without asking the model again", async () => {
    const goes = gate();
    model.play([{ text: '{"points": [{"step": 0, "text": "No way back."}]}', hold: goes.passed }]);
    const before = model.requests.length;
    const gone = new AbortController();
    const lost = ask(product, "/api/second-opinion", {
      ...post({ ...plan, key: "one" }),
      signal: gone.signal,
    }).catch(() => undefined);
    await model.request(before + 1);
    gone.abort();
    await lost;
    goes.open();
    const again = await review({ ...plan, key: "one" });
    expect(z.parse(Opinion, again.json).points).toEqual([{ text: "No way back." }]);
    expect((await review({ ...plan, key: "one" })).json).toEqual(again.json);
    expect(model.requests).toHaveLength(before + 1);
    model.play([{ text: '{"points": []}' }]);
    expect(z.parse(Opinion, (await review({ ...plan, key: "two" })).json).points).toEqual([]);
  });

  test("that failed is requested again under its key", async () => {
    model.play([{ text: "Looks good to me!" }, { text: '{"points": []}' }]);
    expect((await review({ ...plan, key: "three" })).status).toBe(502);
    expect((await review({ ...plan, key: "three" })).status).toBe(200);
  });

  test("that cannot be parsed is 502; a malformed request is 400 and names the field", async () => {
    model.play([{ text: "Looks good to me!" }]);
    expect((await review(plan)).status).toBe(502);
    for (const [faulty, field] of [
      [{ ...plan, plan: " " }, "plan"],
      [{ ...plan, steps: "all" }, "steps"],
      [{ ...plan, model: { provider: "default", id: "none" } }, "model.id"],
    ] as const) {
      const { status, json } = await review(faulty);
      expect(status).toBe(400);
      expect(JSON.stringify(json)).toContain(field);
    }
  });
});
