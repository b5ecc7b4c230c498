import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { workerModules } from "../../scripts/launch/worker-modules.ts";
import { Miniflare } from "../../scripts/tools/workerd/miniflare.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const token = "t".repeat(43);
const script = {
  modules: workerModules(here("../../dist")),
  modulesRoot: here("../../dist"),
  compatibilityDate: "2026-04-01",
  compatibilityFlags: ["enable_request_signal"],
};
let worker: Miniflare;

beforeAll(async () => {
  worker = new Miniflare({
    ...script,
    bindings: {
      HANDRAIL_TOKEN: token,
      SANDBOX_URL: "http://127.0.0.1:9",
      SANDBOX_TOKEN: token,
      OPENAI_BASE_URL: "http://127.0.0.1:9/v1",
      HANDRAIL_MODEL: "unused",
    },
    ratelimits: { TURN_LIMIT: { simple: { limit: 2, period: 60 } } },
    cf: false,
  });
  await worker.ready;
});
afterAll(() => worker?.dispose());

test("a worker without its secrets loads, and answers with the name of the missing one", async () => {
  const bare = new Miniflare({ ...script, cf: false });
  const answer = await bare.dispatchFetch("http://handrail.test/api/health");
  expect(answer.status).toBe(500);
  expect(await answer.json()).toMatchObject({
    error: { message: expect.stringContaining("HANDRAIL_TOKEN is not set") },
  });
  await bare.dispose();
});

test("where the platform limits requests, its limit is the one that applies", async () => {
  const statuses: number[] = [];
  for (let index = 0; index < 8; index++) {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await worker.dispatchFetch("http://handrail.test/api/turn", {
      method: "POST",
      headers,
      body: "{}",
    });
    statuses.push(answer.status);
    await answer.text();
  }
  // Cloudflare allows two requests a minute by the clock, so two more pass if a minute ends meanwhile. Our
  // own limit would refuse none.
  expect(new Set(statuses)).toEqual(new Set([400, 429]));
  expect(statuses.filter((status) => status === 400).length).toBeLessThanOrEqual(4);
});

test("files that the platform serves by itself have the page's headers", async () => {
  const hosted = new Miniflare({
    ...script,
    assets: {
      directory: here("../../dist/pwa"),
      binding: "ASSETS",
      routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: false },
    },
    cf: false,
  });
  // A worker without secrets, which cannot serve the API.
  const page = await hosted.dispatchFetch("http://handrail.test/");
  expect(page.status).toBe(200);
  expect(page.headers.get("content-security-policy")).toContain("connect-src 'self'");
  expect(page.headers.get("x-content-type-options")).toBe("nosniff");
  expect(page.headers.get("x-frame-options")).toBe("DENY");
  const asset = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1];
  const code = await hosted.dispatchFetch(`http://handrail.test${asset}`);
  expect(code.headers.get("content-security-policy")).toContain("default-src 'self'");
  expect(code.headers.get("cache-control")).toContain("immutable");
  await code.text();
  await hosted.dispose();
});
