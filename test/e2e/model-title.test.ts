// A session without a plan gets its name from the model, once, unless the person named it first.
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

test("the model's title is shown over the session and in the list, and requested once", async ({ page }) => {
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

test("where the model gives no title, the first message stays", async ({ page }) => {
  const before = model.requests.length;
  model.play([{ text: "Hello." }, { text: "I would call it:\nmany things" }]);
  await pair(page, product);
  await newSession(page);
  await say(page, "Look around in `src`");
  await page.getByText("Hello.", { exact: true }).waitFor();
  await model.request(before + 2);
  await page.getByRole("heading", { name: "Look around in src" }).waitFor();
});

test("the model writes the commit message from the ticked files", async ({ page }) => {
  const write = { name: "write_file", args: { path: "notes/delay.md", text: "Delays double.\n" } };
  model.play([{ calls: [write] }, { text: "Written." }, { text: "Delay notes" }]);
  await pair(page, product);
  await newSession(page);
  await say(page, "Write down how delays grow");
  await page.getByRole("heading", { name: "Delay notes" }).waitFor();
  await page.goto(`${page.url()}/changes`);
  await page.getByRole("button", { name: "Commit", exact: true }).click();
  const sheet = page.getByRole("dialog", { name: "Commit" });
  model.play([{ text: "Note how delays grow\n\nThey double with each try." }]);
  await sheet.getByRole("button", { name: "Let the model write it" }).click();
  await expect.poll(() => sheet.getByLabel("Message").inputValue()).toContain("Note how delays grow");
  const told = String(model.requests.at(-1)?.body.messages[1]?.content);
  expect(told).toContain("notes/delay.md (new)\n+Delays double.");
});
