import { expect, test } from "vitest";
import { createApi } from "../../../pwa/api/client.ts";
import { turnRequests } from "../../../pwa/session/turn-link.ts";
import type { OutboxTurn } from "../../../pwa/storage/outbox.ts";
import { emptySession } from "../../../shared/session/session-state.ts";
import { memoryKv } from "./memory-kv.ts";

const turn: OutboxTurn = {
  turnId: "t1",
  attempt: 0,
  state: "queued",
  mode: "normal",
  model: null,
  plan: null,
  input: { type: "message", text: "Go" },
  toolProtocol: null,
  historyCount: 0,
  posted: null,
};

/** A phone whose server answers with these statuses. Its requests are recorded. */
function phone(statuses: number[], more: Partial<OutboxTurn> = {}, modelKey?: string) {
  const asked: { path: string; body: Record<string, unknown> }[] = [];
  const api = createApi({
    fetch: async (path, init) => {
      asked.push({ path: String(path), body: JSON.parse(String(init?.body)) });
      return new Response("{}", { status: statuses.shift() ?? 200 });
    },
    token: () => "token",
    modelKey: () => modelKey,
    onUnauthorized: () => undefined,
  });
  const host = {
    ...{ sessionId: "s", sandboxId: "box", kv: memoryKv(), api, client: "me" },
    current: () => emptySession("normal"),
    stored: () => ({ after: 3, seen: "s".repeat(16) }),
    markSent: async () => undefined,
  };
  const { post } = turnRequests(host, { ...turn, ...more });
  return { asked, post: (attempt: number) => post(attempt, new AbortController().signal) };
}

test("the first attempt posts the turn; later ones resume from its id, without a history", async () => {
  const { asked, post } = phone([]);
  await post(1);
  await post(2);
  expect(asked.map(({ path }) => path)).toEqual(["/api/turn", "/api/turns/box/t1/resume"]);
  expect(asked[1]?.body).toEqual({ attempt: 2, after: 3, seen: "s".repeat(16), client: "me" });
});

test("where the server has not kept the request, the turn itself is posted again", async () => {
  const { asked, post } = phone([404]);
  await post(2);
  expect(asked.map(({ path }) => path)).toEqual(["/api/turns/box/t1/resume", "/api/turn"]);
  expect(asked[1]?.body).toMatchObject({ attempt: 2, input: { type: "message", text: "Go" } });
});

test("a turn where the server's history counts says so on every resume, also one of another device", async () => {
  const own = phone([], { counts: "server" });
  await own.post(2);
  const others = phone([], { counts: "server", other: true });
  await others.post(2);
  for (const { asked } of [own, others])
    expect(asked).toEqual([
      {
        path: "/api/turns/box/t1/resume",
        body: { attempt: 2, after: 3, seen: "s".repeat(16), client: "me", counts: "server" },
      },
    ]);
});

test("a turn with the person's own model key, or where the client's history counts, is posted itself", async () => {
  const own = phone([], {}, "sk-mine");
  await own.post(2);
  const counts = phone([], { counts: "client" });
  await counts.post(2);
  expect([...own.asked, ...counts.asked].map(({ path }) => path)).toEqual(["/api/turn", "/api/turn"]);
});
