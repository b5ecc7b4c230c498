// Ways to begin a session, with the real product: after a refused address, with something shared from another
// app, with a code, or with the person's own key.
// @module-tag long
import type { Browser, Page, Route } from "playwright-core";
import { afterAll, afterEach, beforeEach, expect } from "vitest";
import { type Product, startProduct } from "../harness/product.ts";
import { hostPassword, hostUser, startGitHost } from "../sandbox/git-host.ts";
import { removeFolders } from "../sandbox/running-server.ts";
import { test } from "./fixture.ts";
import { composer, openPhone, type Phone, pair, say } from "./phone.ts";
import { everythingKept } from "./phone-storage.ts";

let browser: Browser;
let product: Product;
let phone: Phone;
let page: Page;

test.beforeAll(async ({ browser: shared }) => {
  browser = shared;
  product = await startProduct();
});
afterAll(async () => {
  await product?.close();
  await removeFolders();
});
beforeEach(async () => {
  phone = await openPhone(browser);
  page = phone.page;
});
afterEach(async () => {
  expect(phone.errors).toEqual([]);
  await phone.context.close();
});

test("an address that cannot be cloned is reported, and no session starts", async () => {
  await pair(page, product);
  await page.goto(`${product.url}/#/new`);
  await page.getByLabel("Address for git").fill("file:///nowhere/to/be/found");
  await page.getByRole("button", { name: "Clone and begin" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByText("No sessions yet").waitFor();
});

test("a private repository is cloned with a token that is not stored, starts in its own mode, and is offered again", async () => {
  const host = await startGitHost(100_000);
  const address = (password: string) =>
    host.url.replace("//", `//${hostUser}:${encodeURIComponent(password)}@`);
  await pair(page, product);
  await page.getByRole("button", { name: "Begin in another repository" }).click();
  const field = page.getByLabel("Address for git");
  const begin = page.getByRole("button", { name: "Clone and begin" });
  await field.fill(address("wrong"));
  await begin.click();
  const refused = page.getByRole("alert");
  await refused.getByText("rejects that token").waitFor();
  await field.fill(address(hostPassword));
  await page.getByText("Plan", { exact: true }).click();
  await begin.click();
  await composer(page).and(page.locator(":enabled")).waitFor();
  await page.locator(".badge", { hasText: "PLAN" }).waitFor();
  await say(page, "/files");
  await page.getByRole("button", { name: /^a\.txt/ }).waitFor();
  const kept = await everythingKept(page);
  expect(kept).toContain(host.url);
  expect(kept).not.toContain(encodeURIComponent(hostPassword));

  await host.close();
  await page.goto(`${product.url}/#/new`);
  await page.getByText(`A fresh clone · ${host.url}`).click();
  await refused.getByText("Your server cannot reach that host.").waitFor();
  await expect.poll(() => field.inputValue()).toBe(host.url);
});

test("a slow clone shows its progress, keeps what is typed, says why it failed, and can be retried", async () => {
  let now: object = { state: "preparing", progress: { stage: "Receiving objects", percent: 42 } };
  const answer = (route: Route) =>
    route.fulfill({
      status: route.request().method() === "POST" ? 201 : 200,
      json: { sandboxId: "slow", workspace: "gateway", ...now },
    });
  await page.route("**/api/sandboxes", answer);
  await page.route("**/api/sandboxes/slow", answer);
  await pair(page, product);
  await page.goto(`${product.url}/#/new`);
  await page.getByLabel("Address for git").fill("github.com/acme/gateway");
  await page.getByRole("button", { name: "Clone and begin" }).click();
  await page.getByRole("heading", { name: "Cloning acme/gateway" }).waitFor();
  await page.getByText("Receiving objects: 42 %").waitFor();
  await composer(page).fill("Meanwhile");
  now = { state: "failed", problem: "source.git: git said: fatal: couldn't find remote ref nope" };
  await page.getByRole("alert").getByText("no branch or tag of that name").waitFor();
  now = { state: "ready" };
  await page.getByRole("button", { name: "Clone it again" }).click();
  await page.getByRole("heading", { name: "What should be done?" }).waitFor();
  expect(await composer(page).inputValue()).toBe("Meanwhile");
});

test("what another app shares waits for a session, through pairing too, and becomes its unsent message", async () => {
  await page.goto(
    `${product.url}/?share-title=Bug&share-text=The%20login%20fails&share-url=https%3A%2F%2Fexample.com%2F7`,
  );
  await page.getByRole("button", { name: "Scan code" }).waitFor();
  await expect.poll(() => page.url()).not.toContain("share");
  await page.getByLabel("Token or link").fill(product.token);
  await page.getByRole("button", { name: "Pair", exact: true }).click();
  await page.getByText("Shared with Handrail").waitFor();
  await page.reload();
  await page.locator(".shared", { hasText: "The login fails" }).waitFor();
  await page.getByText("The sample project").click();
  await composer(page).and(page.locator(":enabled")).waitFor();
  await expect.poll(() => composer(page).inputValue()).toBe("Bug\nThe login fails\nhttps://example.com/7");
});

test("the person's own key is stored on the phone and leaves it only with turns", async () => {
  await pair(page, product);
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.headers()["x-model-key"] !== undefined) sent.push(new URL(request.url()).pathname);
  });
  await page.evaluate(async () => {
    const opening = indexedDB.open("handrail");
    await new Promise((resolve) => {
      opening.onsuccess = resolve;
    });
    const kv = opening.result.transaction("kv", "readwrite").objectStore("kv");
    const reading = kv.get("settings");
    await new Promise((resolve) => {
      reading.onsuccess = resolve;
    });
    kv.put({ ...reading.result, keys: { default: "sk-own", demo: "sk-own" } }, "settings");
    // Closing a page aborts its unfinished writes.
    await new Promise((resolve) => {
      kv.transaction.oncomplete = resolve;
    });
    opening.result.close();
  });
  await page.reload();
  await page.getByRole("button", { name: "New session", exact: true }).click();
  await composer(page).and(page.locator(":enabled")).waitFor();
  await say(page, "Explain how this project is built");
  await page.locator(".said").first().waitFor();
  expect(sent).toEqual(["/api/turn"]);
});
