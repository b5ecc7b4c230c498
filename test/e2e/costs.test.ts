// What a session costs and how full the model's context is, on the phone; and a cap that ends a turn in words.
// @module-tag long
import type { Browser } from "playwright-core";
import { afterAll, expect } from "vitest";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { test } from "./fixture.ts";
import { newSession, openPhone, pair, say } from "./phone.ts";

let browser: Browser;
let product: Product;
let model: ModelServer;

test.beforeAll(async ({ browser: shared }) => {
  browser = shared;
  model = await startModelServer([{ text: "Nothing." }]);
  product = await startProduct({
    env: {
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: "test-key",
      HANDRAIL_MODEL: "scripted",
      // An answer of 100 tokens in and 20 out, as scripted, is 3.6 cents.
      HANDRAIL_PRICE: "200,800",
      HANDRAIL_CONTEXT_WINDOW: "9000",
    },
  });
});
afterAll(async () => {
  await product?.close();
  await model?.close();
});

test("tokens, budget, cost and what was trimmed are shown; a cap ends the turn in words, and a higher one lets it go on", async () => {
  const { page, errors, context } = await openPhone(browser);
  await pair(page, product);
  await newSession(page);
  const large = { calls: [{ name: "run_command", args: { command: "seq 1 9000" } }] };
  model.play([large, large, large, large, { text: "Counted." }]);
  await say(page, "Count");
  await page.getByText("Counted.").waitFor();
  const session = page.url();
  await page.getByRole("button", { name: /^Progress/ }).click();
  const menu = page.getByRole("dialog");
  await menu.getByText(/^\d+ % of 7k tokens/).waitFor();
  await menu.getByRole("meter", { name: /^Context \d+ % full$/ }).waitFor();
  await menu.getByText(/\d+ older messages shortened or left out for the model/).waitFor();
  await menu.getByText(/^0:\d\d · 500 tokens in, 100 out, \$0\.18$/).waitFor();

  await page.goto(`${product.url}/#/settings`);
  await page.getByText("$0.18 today, $0.18 in the last month.").waitFor();
  const cap = page.getByLabel("At most per session, in US dollars");
  await cap.fill("0.2");
  await cap.blur();
  await page.goto(session);
  model.play([{ calls: [{ name: "list_files", args: {} }] }]);
  await say(page, "Again");
  await page
    .getByText(/^Broke off The spending limit is reached: \$0\.04 were spent in this turn, \$0\.02 were left/)
    .waitFor();
  const asked = model.requests.length;

  await page.goto(`${product.url}/#/settings`);
  await cap.fill("5");
  await cap.blur();
  await page.goto(session);
  model.play([{ text: "Went on." }]);
  await page.getByRole("button", { name: "Retry" }).click();
  await page.getByText("Went on.").waitFor();
  expect(model.requests.length).toBe(asked + 1);
  expect(errors).toEqual([]);
  await context.close();
});
