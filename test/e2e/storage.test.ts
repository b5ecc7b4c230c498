// Stored data when storage and app change: the storage is full or broken, or the app is updated under an open
// draft or offline.
// @module-tag long
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterEach, beforeEach, expect } from "vitest";
import { type FakeEdge, startFakeEdge } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { composer, newSession, openPhone, type Phone, pair, say } from "./phone.ts";
import { putKept } from "./phone-storage.ts";
import { savedDownload } from "./saved-download.ts";
import { answer, answering, planning } from "./scenes.ts";
import { turnsStored } from "./stored-history.ts";

test.override({ serviceWorker: true });

let browser: Browser;
let edge: FakeEdge;
let phone: Phone;
let page: Page;
let app: string;

test.beforeAll(async ({ browser: shared }) => {
  browser = shared;
});
beforeEach(async () => {
  app = await mkdtemp(join(tmpdir(), "handrail-app-"));
  await cp(join(import.meta.dirname, "../../dist/pwa"), app, { recursive: true });
  edge = await startFakeEdge({ app });
  edge.play(answer);
  phone = await openPhone(browser, { serviceWorker: true });
  page = phone.page;
  await pair(page, edge);
});
afterEach(async () => {
  await phone.context.close();
  await edge.close();
  await rm(app, { recursive: true, force: true });
});

const controlled = () => page.waitForFunction(() => navigator.serviceWorker.controller !== null);

test("an unreadable record is set aside, reported, and can be exported before it is deleted", async () => {
  await newSession(page);
  await say(page, "Fine");
  await page.getByText("Heard: Fine").waitFor();
  await turnsStored(page);
  await putKept(page, "segment/", [{ event: "message", id: "not a number" }]);
  await page.reload();
  await page.getByText("Part of this session could not be read from storage.").waitFor();
  await page.goto(`${edge.url}/#/settings`);
  await page.getByText("1 record could not be read and was set aside.").waitFor();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export what was set aside" }).click(),
  ]);
  expect(await readFile(await savedDownload(download), "utf8")).toContain("not a number");
  await page.getByRole("button", { name: "Delete it" }).click();
  await page.getByRole("button", { name: "Delete it: tap again" }).click();
  await page.getByText("could not be read").waitFor({ state: "detached" });
});

test("an unreadable session record hides no other session, and Settings lists it", async () => {
  await newSession(page);
  await say(page, "Broken");
  await page.getByText("Heard: Broken").waitFor();
  await turnsStored(page);
  // A running app could still write a good record over the broken one.
  await page.goto(`${edge.url}/manifest.webmanifest`);
  await putKept(page, "session/", { id: 7 });
  await page.goto(`${edge.url}/#/settings`);
  await page.getByText("1 record could not be read").waitFor();
});

test("a new version waits while something is typed, and reloading keeps what was typed", async () => {
  await controlled();
  await newSession(page);
  await composer(page).fill("Half a thought");
  const worker = await readFile(join(app, "sw.js"), "utf8");
  await writeFile(join(app, "sw.js"), `${worker}\n// Another version.`);
  await page.evaluate(async () => {
    await (await navigator.serviceWorker.getRegistration())?.update();
  });
  await page.getByText("A new version is ready.").waitFor();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("complementary", { name: "Changes" }).waitFor();
  await expect.poll(() => page.getByText("A new version is ready.").count()).toBe(1);
  await page.setViewportSize({ width: 390, height: 844 });
  await composer(page).fill("Half a thought, and the rest");
  await Promise.all([
    page.waitForEvent("load"),
    page.getByRole("button", { name: "Reload", exact: true }).click(),
  ]);
  await composer(page).waitFor();
  await expect.poll(() => composer(page).inputValue()).toBe("Half a thought, and the rest");
  await expect.poll(() => page.getByText("A new version is ready.").count()).toBe(0);
});

test("without a connection the app opens, and list, search, transcript and settings can be read", async () => {
  await newSession(page);
  await say(page, "Keep this");
  await page.getByText("Heard: Keep this").waitFor();
  await turnsStored(page);
  await controlled();
  await phone.context.setOffline(true);
  await page.goto(`${edge.url}/#/`);
  await page.reload();
  await page.locator(".session-line", { hasText: "Keep this" }).waitFor();
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("searchbox").fill("heard keep");
  await page.locator(".found", { hasText: "Heard: Keep this" }).waitFor();
  await page.locator(".session-line").click();
  await page.getByText("Heard: Keep this").waitFor();
  await page.goto(`${edge.url}/#/settings`);
  await page.getByText("Export everything").waitFor();
});

test("an answer given without a connection is not asked for again, and is sent by itself", async () => {
  edge.play((body) => (body.input.type === "answers" ? answering(body) : planning(body)));
  await newSession(page);
  await say(page, "/plan Limit each token");
  const sheet = page.getByRole("dialog");
  for (const option of ["Sliding window", "429"]) {
    await sheet.getByText(option).click();
    await sheet.getByRole("button", { name: "Next" }).click();
  }
  await turnsStored(page);
  await controlled();
  await phone.context.setOffline(true);
  await sheet.getByRole("button", { name: "Answer", exact: true }).click();
  const waits = page.locator(".bar-words", { hasText: "Not sent yet." });
  await waits.waitFor();
  await page.reload();
  await waits.waitFor();
  expect(await sheet.count()).toBe(0);
  await page.getByRole("button", { name: "Back" }).click();
  await page.locator(".session-line", { hasText: "Will be sent when the connection is back" }).click();
  await phone.context.setOffline(false);
  await page.getByRole("button", { name: "Approve and run" }).waitFor();
});
