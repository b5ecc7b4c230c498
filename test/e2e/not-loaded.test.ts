// Code of the app does not arrive, as on a LAN without a service worker. The page is never blank, and it
// offers a way to continue that loses nothing.
// @module-tag long
import type { Browser } from "playwright-core";
import { afterAll, expect } from "vitest";
import { type FakeEdge, startFakeEdge } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { storeLongSession } from "./long-session.ts";
import { composer, openPhone, pair } from "./phone.ts";
import { startUpdatingFront } from "./updating-front.ts";

test.override({ serviceWorker: true });

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
  const { page, context, errors } = await openPhone(browser);
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

  // The server cannot be reached at all, and the screen keeps its content.
  await context.setOffline(true);
  await page.getByRole("button", { name: "Retry" }).click();
  await page.getByText("There is still no connection.").waitFor();

  // The app requests the code again without a tap.
  await context.unroute(sessionCode);
  await context.setOffline(false);
  await page.getByText("Question 1:").waitFor();
  expect(errors).toEqual([]);
});

test("a part that is cut off while the network changes is loaded with its style, and nobody reads that it was not", async () => {
  const { page, context } = await openOnLan();
  const asked = new Map<string, number>();
  await page.evaluate((words) => {
    new MutationObserver(() => {
      if (document.body?.textContent?.includes(words)) document.documentElement.dataset.said = "yes";
    }).observe(document, { childList: true, subtree: true });
  }, notLoaded);
  await context.route(/assets\/settings.*\.(js|css)$/, async (route) => {
    const name = new URL(route.request().url()).pathname;
    const before = asked.get(name) ?? 0;
    asked.set(name, before + 1);
    // The request fails as it does when a phone changes from Wi-Fi to its mobile network.
    if (before === 0) await route.abort("internetdisconnected");
    else await route.continue();
  });
  await page.getByRole("button", { name: "Settings", exact: true }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  expect(await page.evaluate(() => document.documentElement.dataset.said)).toBeUndefined();
  expect([...asked.keys()].map((name) => name.split(".").at(-1)).sort()).toEqual(
    expect.arrayContaining(["css", "js"]),
  );
  const unstyled = () =>
    page
      .locator('link[rel="stylesheet"]')
      .evaluateAll(
        (links) => links.filter((link) => !(link instanceof HTMLLinkElement && link.sheet)).length,
      );
  await expect.poll(unstyled).toBe(0);
  expect(Math.min(...asked.values())).toBeGreaterThan(1);
});

test("an app whose installation failed is installed again, and only then says that it opens offline", async () => {
  const front = await startUpdatingFront(edge.url);
  const { page, context } = await openPhone(browser, { serviceWorker: true });
  await page.clock.install();
  // The service worker alone asks for the code of a page that nobody has opened.
  const failed = front.failOnce("/assets/bin-sheet-");
  await pair(page, { url: front.url, token: edge.token });
  await failed;
  await page.goto(`${front.url}/#/settings`);
  const app = page.locator("section", { has: page.getByRole("heading", { name: "App", exact: true }) });
  await app.getByText("menu may have an entry").waitFor();
  expect(await app.getByText("It opens offline.").count()).toBe(0);
  await expect
    .poll(async () => {
      await page.clock.runFor(10_000);
      return app.getByText("It opens offline.").count();
    })
    .toBe(1);
  await context.close();
  front.close();
});

test("from a page that cannot be loaded there is a way back to the list", async () => {
  const { page, context } = await openOnLan();
  await context.route("**/assets/settings-page-*.js", (route) => route.abort());
  await page.goto(`${edge.url}/#/settings`);
  await page.getByText(notLoaded).waitFor();
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("button", { name: "New session", exact: true }).waitFor();
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
  // The code is missing until the page itself is requested again, because a new version of the server has
  // files with other names.
  await context.route(`${edge.url}/`, async (route) => {
    await context.unroute(sheetsCode);
    await route.fallback();
  });
  await page.getByRole("button", { name: "Retry" }).click();
  await page.getByText(notLoaded).waitFor({ state: "detached" });
  await page.getByText("Question 1:").waitFor();
  expect(await composer(page).inputValue()).toBe("half a thought");
});

test("an app that cannot be loaded at all leaves a message on the page, and none while it loads", async () => {
  const { page, context } = await openPhone(browser);
  const late = page.getByText("Handrail has not loaded yet.");
  await context.route("**/assets/index-*.js", (route) => route.abort());
  await page.goto(edge.url);
  expect(await late.isVisible()).toBe(false);
  // Ends all animations, as if seconds had passed.
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
  const { page, context } = await openPhone(browser);
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
  const { page, context } = await openPhone(browser);
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
