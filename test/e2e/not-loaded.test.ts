// Code that does not arrive, as on a LAN without a service worker: never a blank page, and a way on without losing
// anything.
// @module-tag long
import type { Browser } from "playwright-core";
import { afterAll, expect } from "vitest";
import { type FakeEdge, startFakeEdge } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { storeLongSession } from "./long-session.ts";
import { composer, openPhone, pair } from "./phone.ts";

let browser: Browser;
let edge: FakeEdge;

test.beforeAll(async ({ browser: shared }) => {
  browser = shared;
  edge = await startFakeEdge();
});
afterAll(async () => {
  await edge?.close();
});

const sessionCode = "**/assets/session-*.js";
const sheetsCode = "**/assets/session-sheets-*.js";
const notLoaded = "This part could not be loaded.";

async function openOnLan(messages = 8) {
  const { page, context, errors } = await openPhone(browser, { lan: true });
  await pair(page, edge);
  const id = await storeLongSession(page, messages);
  return { page, context, errors, address: `${edge.url}/#/s/${id}` };
}

test("a session whose code cannot be loaded says so, and opens once there is a connection", async () => {
  const { page, context, errors, address } = await openOnLan();
  await context.route(sessionCode, (route) => route.abort());
  await page.goto(address);
  await page.reload();
  await page.getByText(notLoaded).waitFor();

  // The server cannot be reached at all: what the screen shows stays.
  await context.setOffline(true);
  await page.getByRole("button", { name: "Retry" }).click();
  await page.getByText("There is still no connection.").waitFor();

  await context.setOffline(false);
  await context.unroute(sessionCode);
  await page.getByRole("button", { name: "Retry" }).click();
  await page.getByText("Question 1:").waitFor();
  expect(errors).toEqual([]);
});

test("from a page that cannot be loaded there is a way back to the list", async () => {
  const { page, context } = await openOnLan();
  await context.route("**/assets/settings-page-*.js", (route) => route.abort());
  await page.goto(`${edge.url}/#/settings`);
  await page.getByText(notLoaded).waitFor();
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("button", { name: "New session" }).waitFor();
});

test("a part that cannot be loaded says so once it is opened; it is requested again, and what was typed is kept", async () => {
  const { page, context, address } = await openOnLan();
  await context.route(sheetsCode, (route) => route.abort());
  await page.goto(address);
  await page.reload();
  await page.getByText("Question 1:").waitFor();
  await page.locator(".pill").click();
  await page.getByText(notLoaded).waitFor();
  await page.goBack();
  await page.getByText(notLoaded).waitFor({ state: "detached" });
  await page.locator(".pill").click();
  await page.getByText(notLoaded).waitFor();
  await composer(page).fill("half a thought");
  await context.unroute(sheetsCode);
  await page.getByRole("button", { name: "Retry" }).click();
  await page.getByText(notLoaded).waitFor({ state: "detached" });
  await page.getByText("Question 1:").waitFor();
  expect(await composer(page).inputValue()).toBe("half a thought");
});

test("an app that cannot be loaded at all leaves a message on the page, and none while it loads", async () => {
  const { page, context } = await openPhone(browser, { lan: true });
  const late = page.getByText("Handrail has not loaded yet.");
  await context.route("**/assets/index-*.js", (route) => route.abort());
  await page.goto(edge.url);
  expect(await late.isVisible()).toBe(false);
  // As if seconds had passed.
  await page.evaluate(() => {
    for (const animation of document.getAnimations()) animation.finish();
  });
  await late.waitFor();
  await context.unroute("**/assets/index-*.js");
  await page.reload();
  await page.getByRole("textbox").first().waitFor();
  expect(await late.isVisible()).toBe(false);
});

test("unreadable storage is reported", async () => {
  const { page, context } = await openPhone(browser, { lan: true });
  await context.addInitScript(() => {
    Object.defineProperty(IDBFactory.prototype, "open", {
      value: () => {
        throw new DOMException("No storage here.", "UnknownError");
      },
    });
  });
  await page.goto(edge.url);
  await page.getByText("What this device keeps could not be read.").waitFor();
  await page.getByRole("button", { name: "Retry" }).waitFor();
});

test("a sheet whose code cannot be loaded says so in view", async () => {
  const { page, context } = await openPhone(browser, { lan: true });
  await pair(page, edge);
  await storeLongSession(page, 2);
  await page.reload();
  await page.locator(".session-line").first().click({ button: "right" });
  await page.getByRole("button", { name: "Delete" }).click();
  await context.route("**/assets/bin-sheet-*.js", (route) => route.abort());
  await page.getByRole("button", { name: "Bin (1)" }).click();
  const said = await page.getByText(notLoaded).boundingBox();
  expect(said?.y).toBeGreaterThan(0);
  expect((said?.y ?? 0) + (said?.height ?? 0)).toBeLessThan(844);
  await context.close();
});
