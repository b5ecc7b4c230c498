// The clock of the edge's machine is changed while a turn runs: the turn's time limits neither expire early
// nor grow.
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { SandboxAnswer } from "../../shared/api.ts";
import type { ModelReply } from "../fakes/model-reply.ts";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { Conversation, dataOf } from "../harness/conversation.ts";
import { type RunningEdge, startEdge } from "../harness/edge-in-process.ts";
import { ask, post } from "./http/request.ts";

const tenDaysMs = 10 * 86_400_000;
const looking: ModelReply = { calls: [{ name: "list_files", args: {} }] };

let model: ModelServer;
let edge: RunningEdge;
let replies: (() => ModelReply)[] = [];
beforeAll(async () => {
  model = await startModelServer(() => replies.shift()?.() ?? { text: "done" });
  edge = await startEdge(model.url);
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(async () => {
  await edge.close();
  await model.close();
});

test.each([
  ["ahead", tenDaysMs],
  ["back", -tenDaysMs],
])("the clock jumps ten days %s: the turn goes on, and its failed request is retried", async (_where, ms) => {
  replies = [
    () => {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
      return looking;
    },
    () => ({ status: 500 }),
    () => looking,
  ];
  const { json } = await ask(edge, "/api/sandboxes", post({}));
  const talk = new Conversation(edge, SandboxAnswer.parse(json).sandboxId);
  await talk.say("Look");
  expect(dataOf(talk.events, "turn.done")).toEqual({ reason: "stop", rounds: 3 });
});
