// Guests on another host, tended by the cron trigger, because on Workers none of our code runs between
// requests.
import { afterEach, expect, test } from "vitest";
import { build, dist } from "../../scripts/build.ts";
import { workerModules } from "../../scripts/launch/worker-modules.ts";
import { Miniflare } from "../../scripts/tools/workerd/miniflare.ts";
import { E2bHost } from "../fakes/engines/e2b-host.ts";
import { clientOf, newSpec, openEngine } from "../harness/engine-stage.ts";

const secret = "the secret of these tests, of no use elsewhere";
let host: E2bHost | undefined;
let worker: Miniflare | undefined;
afterEach(async () => {
  await worker?.dispose();
  await host?.close();
});

test("the cron trigger puts an idle guest to sleep, and leaves one in use awake", async () => {
  await build(["worker"]);
  const e2b = await E2bHost.start();
  host = e2b;
  const engine = await openEngine("e2b", e2b, { secret });
  const inUse = async () => {
    const { guest, endpoint } = await engine.create(newSpec());
    await clientOf(endpoint).create({ source: { sample: true } });
    return guest;
  };
  const [idle, used] = [await inUse(), await inUse()];
  worker = new Miniflare({
    modules: workerModules(dist),
    modulesRoot: dist,
    compatibilityDate: "2026-04-01",
    compatibilityFlags: ["enable_request_signal"],
    bindings: {
      ...{ ...e2b.env, HANDRAIL_ENGINE: "e2b", HANDRAIL_ENGINE_SECRET: secret, HANDRAIL_TOKEN: secret },
      ...{ OPENAI_BASE_URL: "http://127.0.0.1:9/v1", HANDRAIL_MODEL: "unused" },
    },
    cf: false,
    unsafeTriggerHandlers: true,
  });
  const edge = worker;
  const call = async () =>
    (await edge.dispatchFetch("http://handrail.test/cdn-cgi/handler/scheduled")).text();
  for (const idleFor of ["no time", "long"]) {
    // The guest's time ends in less than ten minutes.
    if (idleFor === "long") e2b.entry(idle).endAt = Date.now() + 9 * 60_000;
    expect(await call()).toBe("ok");
    expect(e2b.entry(idle).state).toBe(idleFor === "long" ? "paused" : "running");
    expect(e2b.entry(used).state).toBe("running");
  }
});
