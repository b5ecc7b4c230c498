// A stop reaches a process that does not run the turn, while the model is silent.
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApi } from "../../pwa/api/client.ts";
import { sleep } from "../../pwa/browser/page-signals.ts";
import { OpenSession } from "../../pwa/session/open-session.ts";
import { sessionPuts } from "../../pwa/storage/session-store.ts";
import { SandboxAnswer } from "../../shared/api.ts";
import { emptySession } from "../../shared/session/session-state.ts";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { dataOf } from "../harness/conversation.ts";
import { type RunningEdge, startEdge } from "../harness/edge-in-process.ts";
import { authorized, collect, eventsOf, postTurn } from "../harness/sse.ts";
import { memoryKv } from "../unit/pwa/memory-kv.ts";
import { ask, post } from "./http/request.ts";

let model: ModelServer;
let runner: RunningEdge;
let other: RunningEdge;
beforeAll(async () => {
  model = await startModelServer([{ text: "nothing scripted" }]);
  runner = await startEdge(model.url);
  other = await startEdge(model.url, runner.sandbox);
});
afterAll(async () => {
  await other.close();
  await runner.close();
  await model.close();
});

const never = () => new Promise<never>(() => undefined);
const silent = { text: "half a sen", hold: never() };

/** A phone whose stops reach a different process than its other requests. */
async function openPhone(): Promise<{ session: OpenSession; sandboxId: string }> {
  const { json } = await ask(runner, "/api/sandboxes", post({}));
  const { sandboxId } = SandboxAnswer.parse(json);
  const kv = memoryKv();
  const record = {
    id: "s",
    title: "",
    sandboxId,
    workspace: "w",
    createdAt: 1,
    updatedAt: 1,
    summary: { text: "", mark: "hollow" as const },
    demo: false,
  };
  await kv.write(sessionPuts(record, emptySession("normal"), 0));
  const send: typeof fetch = (path, init) =>
    fetch(new URL(String(path), String(path).endsWith("/stop") ? other.url : runner.url), init);
  const session = await OpenSession.load(
    {
      kv,
      serves: () => null,
      now: Date.now,
      newId: () => crypto.randomUUID(),
      onRecord: () => undefined,
      onSaved: () => undefined,
      onEvents: () => undefined,
      onHandOver: () => undefined,
      client: () => undefined,
      api: createApi({ fetch: send, token: () => runner.token, onUnauthorized: () => undefined }),
      page: {
        sleep,
        wake: never,
        doubt: never,
        isOnline: () => true,
        inNextFrame: (flush) => queueMicrotask(flush),
      },
    },
    "s",
  );
  if (!session) throw new Error("the session is not in storage");
  await session.becomeWriter();
  return { session, sandboxId };
}

function idle(session: OpenSession): Promise<void> {
  return new Promise((resolve) => {
    session.outbox.subscribe(({ turn }) => void (turn === null && resolve()));
  });
}

const lastOf = (session: OpenSession) => session.state.value.entries.at(-1);

describe("a stop that another process receives", () => {
  test("ends the turn on the phone while the model is still silent, and its connection is closed", async () => {
    model.play([silent]);
    const before = model.requests.length;
    const { session } = await openPhone();
    session.send({ type: "message", text: "Talk" });
    await model.request(before + 1);
    await session.requestStop();
    await idle(session);
    expect(lastOf(session)).toMatchObject({ event: "turn.done", data: { reason: "stopped" } });
    await model.abandoned(before + 1);
  });

  test("kills a running command of a turn that goes on after a permit", async () => {
    const command = "rm -rf old; echo began; sleep 1000";
    model.play([{ calls: [{ id: "clean", name: "run_command", args: { command } }] }]);
    const { session } = await openPhone();
    session.send({ type: "message", text: "Clean" });
    await idle(session);
    expect(lastOf(session)).toMatchObject({ data: { reason: "permission" } });
    session.send({ type: "permit", toolCallId: "clean", decision: "once" });
    await new Promise<void>((resolve) => {
      session.state.subscribe(({ live }) => void (JSON.stringify(live).includes("began") && resolve()));
    });
    await session.requestStop();
    await idle(session);
    expect(lastOf(session)).toMatchObject({ event: "turn.done", data: { reason: "stopped" } });
    const result = session.state.value.entries.at(-3);
    expect(result).toMatchObject({ data: { message: { role: "tool", toolCallId: "clean" } } });
  });

  test("is applied by the next post where its own process died first, after any number of rounds", async () => {
    let release = () => undefined as undefined;
    const hold = new Promise<void>((resolve) => {
      release = () => void resolve();
    });
    const look = (id: string) => ({ calls: [{ id, name: "list_files", args: {} }] });
    model.play([look("one"), look("two"), { text: "never read", hold }]);
    const before = model.requests.length;
    const { sandboxId } = await openPhone();
    const turn = {
      protocol: 1 as const,
      turnId: "stopped-late",
      attempt: 1,
      after: 0,
      sandboxId,
      mode: "normal" as const,
      model: null,
      messages: [],
      plan: null,
      input: { type: "message" as const, text: "Look twice" },
    };
    const first = collect(eventsOf(await postTurn(runner, turn)));
    await model.request(before + 3);
    const { SANDBOX_URL, SANDBOX_TOKEN } = runner.sandbox;
    const tell = (what: "claim" | "stop") =>
      fetch(`${SANDBOX_URL}/v1/sandboxes/${sandboxId}/turns/${turn.turnId}/${what}`, {
        ...post(what === "claim" ? { epoch: 2 } : {}),
        headers: { ...authorized(SANDBOX_TOKEN), "content-type": "application/json" },
      });
    // The process that claimed the turn is gone, so the first one may not end it.
    expect((await tell("claim")).ok).toBe(true);
    expect((await tell("stop")).ok).toBe(true);
    const events = await collect(eventsOf(await postTurn(other, { ...turn, attempt: 3 })));
    expect(dataOf(events, "turn.done")).toEqual({ reason: "stopped", rounds: 2 });
    release();
    await first;
  });

  test("a follower of a stopped turn of which nothing was journaled is released, and does not wait", async () => {
    const { sandboxId } = await openPhone();
    const turn = `${runner.url}/api/turns/${sandboxId}/not-begun`;
    const headers = authorized(runner.token);
    expect((await fetch(`${turn}/stop`, { method: "POST", headers })).status).toBe(202);
    expect(await collect(eventsOf(await fetch(`${turn}/events`, { headers })))).toEqual([]);
  });
});
