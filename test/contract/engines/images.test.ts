// Images that repositories name for their guests, and writes that engines lost, as the edge handles them.
import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SandboxAnswer } from "../../../shared/api.ts";
import { HandrailError } from "../../../shared/errors.ts";
import { GuestEngine } from "../../fakes/guest-engine.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server.ts";
import { type RunningEdge, startEdge } from "../../harness/edge-in-process.ts";
import { gate } from "../../harness/gate.ts";
import { ask, post } from "../http/request.ts";

const secret = "the secret of these tests, of no use elsewhere";
let model: ModelServer;
let engine: GuestEngine;
let edge: RunningEdge;
let id: string;

beforeEach(async () => {
  model = await startModelServer([{ text: "done" }]);
  engine = new GuestEngine();
  const env = { HANDRAIL_ENGINE: "docker", HANDRAIL_ENGINE_SECRET: secret, HANDRAIL_GUEST_JAIL: "0" };
  edge = await startEdge(model.url, env, engine.platform);
  const { json } = await ask(edge, "/api/sandboxes", post({ source: { sample: true } }));
  id = SandboxAnswer.parse(json).sandboxId;
});
afterEach(async () => {
  await edge.close();
  await engine.close();
  await model.close();
});

const told = async () => SandboxAnswer.parse((await ask(edge, `/api/sandboxes/${id}`)).json);
const guest = () => engine.guests.get(id.replace("docker--", ""));

/** Writes to the guest's workspace, as a clone would. */
function write(name: string, text: string): void {
  const state = guest()?.state ?? "";
  const readme = readdirSync(state, { recursive: true, encoding: "utf8" }).find((path) =>
    path.endsWith("/README.md"),
  );
  writeFileSync(join(state, dirname(readme ?? ""), name), text);
}

test("an image that the repository names is offered, and used when the person agrees", async () => {
  write(".devcontainer.json", '{ "image": "node:22", // for all\n}');
  expect((await told()).guest).toEqual({ engine: "docker", isolation: "bubblewrap" });
  engine.images = ["node:22"];
  expect((await told()).guest).toEqual({ engine: "docker", isolation: "bubblewrap", wantsImage: "node:22" });
  expect(engine.calls).not.toContain("use");
  const wake = (image: string) => ask(edge, `/api/sandboxes/${id}/wake?image=${image}`, { method: "POST" });
  expect((await wake("node:22")).status).toBe(204);
  expect(await told()).toMatchObject({ state: "ready", guest: { engine: "docker", image: "node:22" } });
  expect((await told()).guest?.wantsImage).toBeUndefined();
  expect((await ask(edge, `/api/sandboxes/${id}/file?path=.devcontainer.json`)).status).toBe(200);
});

test("what an engine lost while a guest slept is reported after it woke", { tags: "long" }, async () => {
  await engine.kill(guest()?.name ?? "");
  engine.lostSince = 1_700_000_000_000;
  expect((await told()).guest?.lostSince).toBeUndefined();
  expect((await ask(edge, `/api/sandboxes/${id}/tree`)).status).toBe(200);
  expect((await told()).guest?.lostSince).toBe(engine.lostSince);
});

test("work in a guest goes on while an unusable image is tried", { tags: "long" }, async () => {
  engine.images = ["alpine"];
  const trying = gate();
  const refused = gate();
  engine.beforeTry = async () => {
    trying.open();
    await refused.passed;
    throw new HandrailError("invalid_request", "No session works in the image alpine.");
  };
  const asked = ask(edge, `/api/sandboxes/${id}/wake?image=alpine`, { method: "POST" });
  await trying.passed;
  const before = engine.calls.length;
  expect((await ask(edge, `/api/sandboxes/${id}/tree`)).status).toBe(200);
  expect(engine.calls.slice(before)).toEqual([]);
  expect((await told()).state).toBe("ready");
  refused.open();
  expect((await asked).status).toBe(400);
  expect((await ask(edge, `/api/sandboxes/${id}/tree`)).status).toBe(200);
  expect(engine.calls).not.toContain("use");
});
