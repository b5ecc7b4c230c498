// A person's day with the real product and its scripted demo: pairing, planning, answering, rejecting,
// approving, watching, reading.
import type { Browser } from "playwright-core";
import { afterAll, expect } from "vitest";
import { type Product, startProduct } from "../harness/product.ts";
import { test } from "./fixture.ts";
import { newSession, openPhone, pair, say } from "./phone.ts";

test.override({ serviceWorker: true });

let browser: Browser;
let product: Product;

test.beforeAll(async ({ browser: shared }) => {
  browser = shared;
  product = await startProduct();
});
afterAll(async () => {
  await product?.close();
});

const task = "/plan Limit each token to 100 requests a minute. Keep the per-IP limit.";

test("from pairing to a finished plan, and back to it after a reload", async () => {
  const { page, errors, context } = await openPhone(browser, { serviceWorker: true });
  await pair(page, product);
  await expect.poll(() => page.url()).not.toContain("pair=");
  await newSession(page);
  await page.locator(".page-head").getByText("Scripted demo").waitFor();
  await say(page, task);

  const sheet = page.getByRole("dialog");
  await sheet.getByText("Which window should the limit use?").waitFor();
  await page.locator(".badge", { hasText: "PLAN" }).waitFor();
  await sheet.getByText("Fixed minute").click();
  await sheet.getByRole("button", { name: "Answer", exact: true }).click();

  await page.getByText("You chose", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Reject" }).click();
  await page.getByRole("textbox", { name: "What should be different?" }).fill("Use a sliding window instead");
  await page.getByRole("button", { name: "Reject and plan again" }).click();
  await page.getByText("You rejected version 1").waitFor();
  await page.locator(".bubble", { hasText: "Use a sliding window instead" }).waitFor();
  await page.locator(".card.plan", { hasText: "slidingWindow" }).waitFor();

  await page.getByRole("button", { name: "Approve and run" }).click();
  await page.getByText("You approved the plan").waitFor();
  await page.getByRole("heading", { name: "Finished" }).waitFor();
  await page.getByRole("button", { name: /^Changes 4 files/ }).waitFor();
  await expect.poll(() => page.locator(".station.done").count()).toBe(4);
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });

  await page.reload();
  await page.getByRole("heading", { name: "Finished" }).waitFor();
  await expect.poll(() => page.locator(".station.done").count()).toBe(4);
  // The figures of a finished step are below its title, which has the whole width of the smallest phone.
  await page.setViewportSize({ width: 320, height: 568 });
  const first = page.locator(".station.done").first();
  expect(await first.locator(".station-note").textContent()).toContain("1 file · +18");
  expect(await first.locator(".station-line").textContent()).not.toContain("+18");
  await page.setViewportSize({ width: 390, height: 844 });

  await page.getByRole("button", { name: /^Changes 4 files/ }).click();
  await page.locator(".file", { hasText: "src/limiter.js" }).locator(".diff-line.added").first().waitFor();
  await page.getByText(/4 files · \+\d+ −\d+ · since the session began/).waitFor();

  await page.goto(`${product.url}/#/`);
  const line = page.locator(".session-line");
  await line.getByText("Limit each token to 100 requests a minute", { exact: true }).waitFor();
  await expect.poll(() => line.textContent()).toMatch(/Done · 4 files, \+\d+ −\d+/);
  await expect.poll(() => line.textContent()).toContain("Scripted demo");
  expect(errors).toEqual([]);
  await context.close();
});

test("a manually edited plan is approved as the next version", { tags: "long" }, async () => {
  const { page, context } = await openPhone(browser, { serviceWorker: true });
  await pair(page, product);
  await newSession(page);
  await say(page, task);
  const sheet = page.getByRole("dialog");
  await sheet.getByText("Sliding window").click();
  await sheet.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByRole("button", { name: "As text" }).click();
  const text = page.getByRole("textbox", { name: "Text of the plan" });
  await expect.poll(() => text.inputValue()).toContain("Document both limits");
  const whole = await text.inputValue();
  await text.fill(whole.replace("- check:", "- check"));
  await sheet.getByText(/^Line \d+: expected a step/).waitFor();
  expect(await page.getByRole("button", { name: "Keep" }).isDisabled()).toBe(true);
  await text.fill(whole.replace("Document both limits", "Describe both limits"));
  await page.getByRole("button", { name: "Keep" }).click();
  await page.getByText("Plan · edited by you").waitFor();
  await page.locator(".card.plan .step-title", { hasText: "Describe both limits" }).waitFor();
  // The sheet that opens from the menu has the same button, so it shows the same text.
  await page.getByRole("button", { name: "More about this session" }).click();
  await sheet.getByRole("button", { name: /^Plan · version 1/ }).click();
  await sheet.getByText("not sent yet · edited by you").waitFor();
  await sheet.getByText("Describe both limits").waitFor();
  await sheet.getByRole("button", { name: "Approve and run" }).click();
  await page.getByRole("heading", { name: "Finished" }).waitFor();
  await page.locator(".station", { hasText: "Describe both limits" }).waitFor();
  await context.close();
});

test("an unpaired device accepts a typed token or the whole link, and asks again after a wrong one", async () => {
  const { page, context } = await openPhone(browser, { serviceWorker: true });
  await page.goto(product.url);
  const field = page.getByLabel("Token or link");
  await field.fill("not-the-token-of-this-server-at-all");
  await page.getByRole("button", { name: "Pair" }).click();
  await page.getByText("This token is wrong").waitFor();
  await field.fill(`${product.url}/#pair=${product.token}`);
  await page.getByRole("button", { name: "Pair" }).click();
  await page.getByRole("button", { name: "New session", exact: true }).waitFor();
  await context.close();
});
