// Limits, queue and budget of guests apply to all isolates of the edge on Workers together, whose number is
// unknown. The guests' script runs in workerd.
// @module-tag long
import { afterEach, beforeEach, expect, test } from "vitest";
import { GuestCounts } from "../../shared/api.ts";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { type CloudflareSite, openCloudflare } from "../harness/cloudflare-site.ts";
import { type RunningEdge, startEdge } from "../harness/edge-in-process.ts";
import { ask, post } from "./http/request.ts";

const settings = {
  ...{
    HANDRAIL_ENGINE: "cloudflare",
    HANDRAIL_ENGINE_SECRET: "the secret of these tests, of no use elsewhere",
  },
  HANDRAIL_GUEST_JAIL: "0",
};
let site: CloudflareSite;
let model: ModelServer;
const isolates: RunningEdge[] = [];

beforeEach(async () => {
  [site, model] = [await openCloudflare(), await startModelServer([{ text: "done" }])];
});
afterEach(async () => {
  for (const isolate of isolates.splice(0)) await isolate.close();
  await site.close();
  await model.close();
});

async function isolate(env: Record<string, string>): Promise<RunningEdge> {
  const started = await startEdge(
    model.url,
    { ...settings, ...env },
    { ...site.platform, requestsApart: true },
  );
  isolates.push(started);
  return started;
}
const make = (edge: RunningEdge, key: string) =>
  ask(edge, "/api/sandboxes", post({ source: { sample: true }, key }));
const counts = async (edge: RunningEdge) =>
  GuestCounts.parse(((await ask(edge, "/api/metrics")).json as { guests: unknown }).guests);
const place = (number: number) => ({ error: { details: { reason: "capacity", place: number } } });

test("two isolates that are asked at once give the last place once, and have one line", async () => {
  const env = { HANDRAIL_GUEST_LIMIT: "1" };
  const [one, two] = [await isolate(env), await isolate(env)];
  const answers = await Promise.all([make(one, "a"), make(two, "b")]);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 429]);
  const waiting = answers[0]?.status === 429 ? "a" : "b";
  expect((await make(two, "c")).json).toMatchObject(place(2));
  expect((await make(one, waiting)).json).toMatchObject(place(1));
  expect((await make(await isolate(env), "d")).json).toMatchObject(place(3));
  expect(await counts(one)).toMatchObject({ waiting: 3, limit: 1, states: { ready: 1 } });
});

test("one person's limit holds for both", async () => {
  const env = { HANDRAIL_GUEST_LIMIT_EACH: "1" };
  const [one, two] = [await isolate(env), await isolate(env)];
  expect((await make(one, "a")).status).toBe(201);
  expect((await make(two, "b")).json).toMatchObject({ error: { details: { reason: "person" } } });
});

test("a budget that was used up through one isolate is used up for all, also after they and the list were started again", async () => {
  // The price is so high that the time to make one guest uses the budget up.
  const env = { HANDRAIL_GUEST_BUDGET: "1", HANDRAIL_GUEST_COST: "1e9" };
  const [one, two] = [await isolate(env), await isolate(env)];
  expect((await make(one, "a")).status).toBe(201);
  const refused = { error: { code: "rate_limited", retryable: false, details: { reason: "budget" } } };
  expect((await make(two, "b")).json).toMatchObject(refused);
  expect((await counts(two)).spentToday).toBeGreaterThan(1);
  await site.order("~index", "restart");
  expect((await make(await isolate(env), "c")).json).toMatchObject(refused);
});
