// On each runtime, a reload, a second tab that takes over, and a visit to another page cut no answer off and
// pay for nothing twice.
// @module-tag long
import type { Browser } from "playwright-core";
import { afterAll, expect } from "vitest";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { startProduct } from "../harness/product.ts";
import { test } from "./fixture.ts";
import { newSession, newTab, openPhone, pair, say } from "./phone.ts";

test.override({ serviceWorker: true });

let browser: Browser;
let model: ModelServer;

test.beforeAll(async ({ browser: shared }) => {
  browser = shared;
  model = await startModelServer([{ text: "" }]);
});
afterAll(async () => {
  await model?.close();
});

test.each(["node", "workerd"] as const)("the model is asked once for its answer on %s", async (runtime) => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const before = model.requests.length;
  model.play(async () => {
    await gate;
    return { text: "All is done." };
  });
  const product = await startProduct({
    runtime,
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "test-key", HANDRAIL_MODEL: "scripted" },
  });
  const { page, context } = await openPhone(browser, { serviceWorker: true });
  try {
    await pair(page, product);
    await newSession(page);
    await say(page, "Do it");
    await model.request(before + 1);
    await page.locator(".page-head").getByText("Live").waitFor();
    await page.reload();
    await page.locator(".page-head").getByText("Live").waitFor();
    const second = await newTab(context);
    await second.goto(page.url());
    await second.getByRole("button", { name: "Use it here" }).click();
    await second.locator(".page-head").getByText("Live").waitFor();
    await context.setOffline(true);
    await second.locator(".page-head").getByText("Offline").waitFor();
    await context.setOffline(false);
    await second.locator(".page-head").getByText("Live").waitFor();
    open();
    await second.getByText("All is done.").waitFor();
    expect(model.requests.length - before).toBe(1);
    expect(await second.getByText("cut off and discarded").count()).toBe(0);
  } finally {
    await context.close();
    await product.close();
  }
});
