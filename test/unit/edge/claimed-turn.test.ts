// What a posted turn is claimed with: every decision, plan and position that the sandbox server has to check goes to its
// journal.
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { sha256Hex } from "../../../functions/sha256.ts";
import { ClaimRequest } from "../../../shared/journal.ts";
import { makePlan } from "../plan/plan-fixture.ts";
import { edgeAlone } from "./edge-alone.ts";

const common = { content: "", createdAt: 0, mode: "normal" };
const user = { ...common, id: "m1", role: "user", content: "Push it" };
const push = (id: string, command: string) => ({
  ...{ id, name: "run_command", arguments: JSON.stringify({ command }) },
});
const calls = [push("c1", "git push origin a"), push("c2", "git push origin b")];
const asking = [user, { ...common, id: "m2", role: "assistant", finish: "tool_calls", toolCalls: calls }];
const seen = "0123456789abcdef";

/** The claim that a turn with these fields sends, and the refusal. The claim itself is refused. */
async function claimed(turn: object, headers: Record<string, string> = {}) {
  const edge = edgeAlone({}, ({ at }) =>
    at.includes("/claim")
      ? Response.json(
          { error: { code: "turn_finished", message: "Over.", retryable: false } },
          { status: 409 },
        )
      : at.includes("/calls")
        ? new Response(`${JSON.stringify({ type: "end" })}\n`)
        : undefined,
  );
  const body = {
    protocol: 1,
    turnId: "t1",
    sandboxId: "s1",
    mode: "normal",
    input: { type: "continue" },
    ...turn,
  };
  const refusal = await edge.refusal("POST /api/turn", body, headers);
  const sent = edge.asked.find(({ at }) => at.endsWith("/claim"));
  const { attends: _, ...claim } = JSON.parse(sent?.body ?? "{}");
  return { refusal, claim: sent && z.parse(ClaimRequest, claim) };
}

describe("a decision on a call", () => {
  const permit = { type: "permit", toolCallId: "c1", decision: "once" };

  test("is claimed as that decision on that call", async () => {
    const { claim } = await claimed({ messages: asking, input: permit });
    expect(claim?.resolves).toBe("call:c1");
    expect(claim?.permits).toMatchObject({ toolCallId: "c1", decision: "once" });
    expect(claim?.alsoPermits).toBeUndefined();
  });

  test("is claimed together with those on later calls", async () => {
    const input = { ...permit, others: [{ toolCallId: "c2", decision: "session" }] };
    const { claim } = await claimed({ messages: asking, input });
    expect(claim?.alsoPermits).toMatchObject([{ toolCallId: "c2", decision: "session" }]);
  });

  test("that is a message instead names the first call that it closes", async () => {
    const { claim } = await claimed({ messages: asking, input: { type: "message", text: "Wait" } });
    expect(claim?.cancels).toBe("c1");
    expect(claim?.permits).toBeUndefined();
  });
});

describe("the plan that the client has", () => {
  const { markdown } = makePlan();
  const plan = async (status: "proposed" | "executing", text = markdown) =>
    makePlan({ status, markdown: text, hash: await sha256Hex(markdown) });

  test("is claimed with its version, its hash, its content, and whether it is under way", async () => {
    const proposed = await plan("proposed");
    const input = { type: "approve", planVersion: proposed.version, planHash: proposed.hash, mode: "normal" };
    const { claim } = await claimed({ messages: [user], plan: proposed, input, mode: "plan" });
    const { version, hash } = proposed;
    expect(claim?.resolves).toBe(`proposal:${version}:${hash}`);
    expect(claim?.plan).toMatchObject({
      version,
      hash,
      underWay: false,
      content: expect.stringMatching(/^\w{64}$/),
    });
    const running = await claimed({ messages: [user], plan: await plan("executing") });
    expect(running.claim?.plan).toMatchObject({ underWay: true });
  });

  test("is claimed without its content if the person edited its text", async () => {
    const edited = await plan("executing", markdown.replace("Add a login", "Add a logout"));
    const { claim } = await claimed({
      messages: [user],
      plan: edited,
      input: { type: "message", text: "Go" },
    });
    expect(claim?.plan).toEqual({ version: edited.version, hash: edited.hash, underWay: true });
  });

  test("is claimed as none, except in a new conversation", async () => {
    expect((await claimed({ messages: [user] })).claim).toMatchObject({ plan: null });
    expect((await claimed({ input: { type: "message", text: "Hello" } })).claim).not.toHaveProperty("plan");
  });
});

test("what the person says is claimed for the journal", async () => {
  const { claim } = await claimed({ messages: [user], input: { type: "message", text: "Hello" } });
  const said = claim?.record?.flatMap(({ event, data }) => (event === "message" ? [data] : []));
  expect(said).toMatchObject([{ message: { role: "user", content: "Hello" } }]);
});

test("what the client has of the history is claimed as it says", async () => {
  const has = {
    after: 3,
    seen,
    client: "phone",
    stored: { turnId: "t0", after: 2, seen, newest: true },
    counts: "server",
  };
  expect((await claimed({ ...has, messages: [user] })).claim).toMatchObject(has);
  const { claim } = await claimed({ messages: [user] });
  for (const field of Object.keys(has)) expect(claim).not.toHaveProperty(field);
});

test("the request is kept for other processes, but never with a model key", async () => {
  expect((await claimed({ messages: [user] })).claim?.posted).toMatch(/^[\w+/=]{50,}$/);
  expect((await claimed({ messages: [user] }, { "x-model-key": "own-key" })).claim?.posted).toBeNull();
});

test("a turn under the same id has another hash with another input, history, plan or mode", async () => {
  const hashes = await Promise.all(
    [
      {},
      { mode: "auto" },
      { messages: [user, { ...user, id: "m9" }] },
      { messages: [user], plan: makePlan({ status: "executing" }) },
      { messages: [user], plan: makePlan({ status: "executing", version: 2 }) },
      { input: { type: "message", text: "Hello" } },
      { options: { maxRounds: 5 } },
      { sandboxId: "s2" },
    ].map(async (turn) => (await claimed({ messages: [user], ...turn })).claim?.inputHash),
  );
  expect(new Set(hashes).size).toBe(hashes.length);
  expect(hashes).not.toContain(undefined);
  const again = await claimed({ messages: [user], attempt: 2, after: 1 });
  expect(again.claim?.inputHash).toBe(hashes[0]);
});

describe("nothing is claimed for", () => {
  test.each([
    ["a history with one id twice", { messages: [user, user] }, "appears twice"],
    [
      "a result without its call",
      {
        messages: [
          {
            ...common,
            id: "r",
            role: "tool",
            toolCallId: "c",
            name: "x",
            ok: true,
            meta: { round: 1, maxRounds: 1, contextTokens: 0, budgetTokens: 0 },
          },
        ],
      },
      "without a call",
    ],
    ["tools that do not exist", { options: { readOnlyTools: ["none"] } }, "readOnlyTools"],
    ["a model that is not configured", { model: { provider: "none", id: "x" } }, "model.provider"],
    [
      "a helper's model that is not",
      { options: { explore: { model: { provider: "none", id: "x" } } } },
      "options.explore.model",
    ],
  ])("%s", async (_what, turn, words) => {
    const { refusal, claim } = await claimed(turn);
    expect(refusal).toMatch(/^invalid_request: /);
    expect(refusal).toContain(words);
    expect(claim).toBeUndefined();
  });
});
