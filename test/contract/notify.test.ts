// Turns that end without followers, in the whole product: who is notified of what, and how often.
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeVapidPair } from "../../scripts/launch/vapid.ts";
import { SandboxAnswer } from "../../shared/api.ts";
import { SessionHistory } from "../../shared/history.ts";
import { News } from "../../shared/push.ts";
import { type ModelScript, type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { type PushService, startPushService } from "../fakes/push-service.ts";
import { Conversation } from "../harness/conversation.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { eventsOf, postTurn } from "../harness/sse.ts";
import { ask, post } from "./http/request.ts";

const keys = makeVapidPair();
let product: Product;
let model: ModelServer;
let service: PushService;

beforeAll(async () => {
  [model, service] = await Promise.all([
    startModelServer([{ text: "unused" }]),
    startPushService(keys.publicKey),
  ]);
  product = await startProduct({
    env: {
      OPENAI_BASE_URL: model.url,
      HANDRAIL_MODEL: "scripted",
      HANDRAIL_VAPID_PUBLIC: keys.publicKey,
      HANDRAIL_VAPID_PRIVATE: keys.privateKey,
      HANDRAIL_VAPID_SUBJECT: "mailto:me@example.com",
      HANDRAIL_PUSH_ORIGINS: service.origin,
    },
  });
});
afterAll(async () => {
  await Promise.all([product?.close(), model?.close(), service?.close()]);
});

async function open(script: ModelScript): Promise<Conversation> {
  model.play(script);
  const { json } = await ask(product, "/api/sandboxes", post({ source: { sample: true } }));
  const talk = new Conversation(product, SandboxAnswer.parse(json).sandboxId);
  talk.options = { notify: service.subscription };
  return talk;
}

/**
 * Posts a turn and disconnects after its first event. Resolves with the turn's id when the model may answer.
 */
async function leave(talk: Conversation, text: string, answer: () => void): Promise<string> {
  const leaving = new AbortController();
  const body = talk.body({ type: "message", text });
  const response = await postTurn(product, body, leaving.signal);
  for await (const _ of eventsOf(response)) break;
  leaving.abort();
  answer();
  return body.turnId;
}

function later(): { hold: Promise<void>; answer(): void } {
  let answer: () => void = () => undefined;
  const hold = new Promise<void>((resolve) => {
    answer = resolve;
  });
  return { hold, answer: () => answer() };
}

async function nextNews(): Promise<News> {
  return News.parse(JSON.parse((await service.next()).text));
}

test("the configuration has what a browser needs to subscribe", async () => {
  expect((await ask(product, "/api/config")).json).toMatchObject({ push: { publicKey: keys.publicKey } });
});

test("a turn that ends while nobody watches notifies its person, and one that is watched does not", async () => {
  const { hold, answer } = later();
  const talk = await open([{ text: "Seen." }, { text: "All done.", hold }]);
  await talk.say("Tidy the parser up, please. Then stop.");
  await leave(talk, "And once more.", answer);
  expect(await nextNews()).toMatchObject({
    kind: "end",
    sandboxId: talk.sandboxId,
    title: "Tidy the parser up, please",
    line: "Done.",
  });
  expect(service.delivered).toHaveLength(1);
});

test("a permission is sent with its command where that is one short line", async () => {
  const { hold, answer } = later();
  const command = "git push origin main";
  const talk = await open([{ calls: [{ id: "c1", name: "run_command", args: { command } }], hold }]);
  await leave(talk, "Push it.", answer);
  expect(await nextNews()).toMatchObject({ kind: "permission", line: `May it run this? ${command}` });
});

test("a running turn notifies subscriptions added meanwhile, and a finished turn none", async () => {
  const { hold, answer } = later();
  const talk = await open([{ text: "All done.", hold }]);
  talk.options = {};
  const turnId = await leave(talk, "Take your time.", () => undefined);
  const path = `/api/turns/${talk.sandboxId}/${turnId}/notify`;
  expect((await ask(product, path, post(service.subscription))).status).toBe(202);
  answer();
  expect(await nextNews()).toMatchObject({ kind: "end", turnId });
  await expect.poll(async () => (await ask(product, path, post(service.subscription))).status).toBe(409);
  expect((await ask(product, path, post({ endpoint: service.subscription.endpoint }))).status).toBe(400);
});

test("subscriptions added during a turn are kept by whichever runner continues it", async () => {
  const { hold, answer } = later();
  const talk = await open([
    { text: "unused", hold: new Promise(() => undefined) },
    { text: "Done.", hold },
  ]);
  talk.options = {};
  const turnId = await leave(talk, "Take your time.", () => undefined);
  const path = `/api/turns/${talk.sandboxId}/${turnId}`;
  await ask(product, `${path}/notify`, post({ ...service.subscription, runningMinutes: 1 }));
  const leaving = new AbortController();
  const response = await fetch(`${product.url}${path}/resume`, {
    ...post({ attempt: 2 }),
    headers: { authorization: `Bearer ${product.token}`, "content-type": "application/json" },
    signal: leaving.signal,
  });
  for await (const _ of eventsOf(response)) break;
  leaving.abort();
  answer();
  expect(await nextNews()).toMatchObject({ kind: "end", turnId });
});

test("an expired subscription is noted with the session, for its phone to read", async () => {
  for (const status of [404, 410]) {
    service.answer({ status });
    const { hold, answer } = later();
    const talk = await open([{ text: "All done.", hold }]);
    await leave(talk, "Go.", answer);
    const notes = async () =>
      SessionHistory.parse((await ask(product, `/api/sandboxes/${talk.sandboxId}/history`)).json).notes;
    await expect.poll(notes).toMatchObject({ endedPush: service.subscription.endpoint.slice(-20) });
  }
  service.answer();
});

test("a delay that a push service asks for is passed on, up to an hour", async () => {
  for (const [named, told] of [
    ["30", 30],
    ["31536000", 3_600],
  ] as const) {
    service.answer({ status: 429, headers: { "retry-after": named } });
    const { status, json } = await ask(
      product,
      "/api/push/test",
      post({ subscription: service.subscription }),
    );
    expect(status).toBe(429);
    expect(json).toMatchObject({
      error: { code: "rate_limited", details: { retryAfterSeconds: told } },
    });
  }
  service.answer();
});

test("a kind that is off and quiet hours suppress notifications", async () => {
  const before = service.requests();
  const minute = Math.floor(Date.now() / 60_000) % 1_440;
  const quiet = { from: minute, to: (minute + 60) % 1_440 };
  for (const wants of [{ kinds: ["questions"] }, { quiet }]) {
    const { hold, answer } = later();
    const talk = await open([{ text: "All done.", hold }]);
    talk.options = { notify: { ...service.subscription, ...wants } };
    const turnId = await leave(talk, "Go.", answer);
    await expect
      .poll(() => product.logs())
      .toContain(`"turnId":"${turnId}","kind":"end","outcome":"not wanted now"`);
  }
  expect(service.requests()).toBe(before);
});

test("a turn that nobody watches sends once that it is still running", async () => {
  const { hold, answer } = later();
  const talk = await open([{ text: "All done.", hold }]);
  talk.options = { notify: { ...service.subscription, runningMinutes: 0.001 } };
  await leave(talk, "Take your time.", () => undefined);
  expect(await nextNews()).toMatchObject({ kind: "running", line: "Still running after 0.001 minutes." });
  answer();
  expect(await nextNews()).toMatchObject({ kind: "end" });
});

test("a test notification from the settings arrives, and a refusal is explained", async () => {
  const { subscription } = service;
  expect((await ask(product, "/api/push/test", post({ subscription }))).json).toEqual({ ok: true });
  expect(await nextNews()).toMatchObject({ kind: "test" });
  service.answer({ status: 410 });
  expect((await ask(product, "/api/push/test", post({ subscription }))).json).toMatchObject({
    error: { code: "not_kept" },
  });
  service.answer();
  const endpoint = "http://169.254.169.254/latest";
  const { status, json } = await ask(
    product,
    "/api/push/test",
    post({ subscription: { ...subscription, endpoint } }),
  );
  expect(status).toBe(400);
  expect(json).toMatchObject({
    error: { message: expect.stringContaining("none of the known push services") },
  });
});
