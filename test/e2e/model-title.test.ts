// A session without a plan is called what the model names it, once, unless the person named it first.
// @module-tag long
import { afterAll, expect } from "vitest";
import { startModelServer } from "../fakes/model-server.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { test } from "./fixture.ts";
import { newSession, pair, say } from "./phone.ts";

const model = await startModelServer([{ text: "unused" }], { drafts: true });
let product: Product;
test.beforeAll(async () => {
  product = await startProduct({
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "test-key", HANDRAIL_MODEL: "scripted" },
  });
});
afterAll(async () => {
  await product?.close();
  await model.close();
});

test("the model's name stands over the session and in the list, and is asked for once", async ({ page }) => {
  model.play([
    { text: "Retries wait twice as long each time." },
    { text: "Retry delays in ky" },
    { text: "Yes." },
  ]);
  await pair(page, product);
  await newSession(page);
  await say(page, "Tell me, before I change anything, how long `ky` waits between two tries");
  await page.getByRole("heading", { name: "Retry delays in ky" }).waitFor();
  await say(page, "Is that on purpose?");
  await page.getByText("Yes.", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  await page.goto(`${product.url}/#/`);
  await page.locator(".session-title", { hasText: "Retry delays in ky" }).waitFor();
  expect(model.requests.length).toBe(3);
});

test("where the model names nothing, what was said first stays", async ({ page }) => {
  const before = model.requests.length;
  model.play([{ text: "Hello." }, { text: "I would call it:\nmany things" }]);
  await pair(page, product);
  await newSession(page);
  await say(page, "Look around in `src`");
  await page.getByText("Hello.", { exact: true }).waitFor();
  await model.request(before + 2);
  await page.getByRole("heading", { name: "Look around in src" }).waitFor();
});
