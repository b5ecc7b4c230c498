// The number of guests that one person may have awake. An identity proxy tells people apart; without one,
// everyone with the shared token is one person.
import { afterEach, beforeEach, expect, test } from "vitest";
import { SandboxAnswer } from "../../../shared/api.ts";
import { GuestEngine } from "../../fakes/guest-engine.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server.ts";
import { type RunningEdge, startEdge } from "../../harness/edge-in-process.ts";
import { audience, type IdentityProxy, startIdentityProxy } from "../../harness/identity-proxy.ts";
import { ask, post } from "../http/request.ts";

const secret = "the secret of these tests, of no use elsewhere";
let model: ModelServer;
let engine: GuestEngine;
let proxy: IdentityProxy;
let edge: RunningEdge;

beforeEach(async () => {
  model = await startModelServer([{ text: "done" }]);
  engine = new GuestEngine();
  proxy = await startIdentityProxy();
});
afterEach(async () => {
  await edge.close();
  await engine.close();
  await model.close();
  proxy.close();
});

async function open(more: Record<string, string> = {}): Promise<void> {
  const env = { HANDRAIL_ENGINE: "docker", HANDRAIL_ENGINE_SECRET: secret, HANDRAIL_GUEST_JAIL: "0" };
  edge = await startEdge(model.url, { ...env, HANDRAIL_GUEST_LIMIT_EACH: "1", ...more }, engine.platform);
}

const as = (sub: string, init: RequestInit = {}): RequestInit => ({
  ...init,
  headers: {
    ...Object.fromEntries(new Headers(init.headers)),
    "cf-access-jwt-assertion": proxy.assertion({ sub }),
  },
});
const make = (init: (sent: RequestInit) => RequestInit) =>
  ask(edge, "/api/sandboxes", init(post({ source: { sample: true } })));
const full = { error: { code: "rate_limited", details: { reason: "person" } } };

test("each person has a quota of their own; someone whose guests are all awake waits for one of them", {
  tags: "long",
}, async () => {
  await open({ HANDRAIL_ACCESS_TEAM: proxy.url, HANDRAIL_ACCESS_AUDIENCE: audience });
  const first = await make((sent) => as("ada", sent));
  expect(first.status, first.text).toBe(201);
  expect((await make((sent) => as("ada", sent))).json).toMatchObject(full);
  expect((await make((sent) => as("bob", sent))).status).toBe(201);
  // The identity itself is not passed on: the engine gets an opaque mark.
  expect(JSON.stringify([...engine.guests.values()].map(({ person }) => person))).not.toMatch(/ada|bob/);

  const { sandboxId } = SandboxAnswer.parse(first.json);
  await engine.kill(sandboxId.replace("docker--", ""));
  expect((await make((sent) => as("ada", sent))).status).toBe(201);
  // A guest counts for its owner, whoever wakes it.
  expect((await ask(edge, `/api/sandboxes/${sandboxId}/tree`, as("bob"))).json).toMatchObject(full);
});

test("a request may not say which person a sandbox is for: the field is refused", async () => {
  await open();
  const claimed = await ask(edge, "/api/sandboxes", post({ source: { sample: true }, person: "ada" }));
  expect(claimed.status).toBe(400);
});

test("without an identity proxy, everybody with the token counts as one person", async () => {
  await open();
  expect((await make((sent) => sent)).status).toBe(201);
  expect((await make((sent) => sent)).json).toMatchObject(full);
});
