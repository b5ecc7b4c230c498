// The list of sessions: searching, renaming, archiving, deleting and restoring, duplicating.
// @module-tag long
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { FakeEdge } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { newSession, type Phone, pair, say } from "./phone.ts";
import { keptKeys } from "./phone-storage.ts";
import { answer, answering, planning } from "./scenes.ts";
import { writing } from "./scenes-that-wait.ts";
import { storedUnder } from "./stored-history.ts";

test.override({ serviceWorker: true });

let edge: FakeEdge;
let phone: Phone;
let page: Page;

test.beforeEach(async ({ edge: served, phone: opened }) => {
  edge = served;
  edge.play(answer);
  phone = opened;
  page = phone.page;
  await pair(page, edge);
});

async function talk(...texts: string[]): Promise<void> {
  await newSession(page);
  for (const text of texts) {
    await say(page, text);
    await page.getByText(`Heard: ${text}`).waitFor();
  }
  await page.getByRole("button", { name: "Back" }).click();
}

const lines = () => page.locator(".session-line");

async function choose(title: string): Promise<void> {
  await lines().filter({ hasText: title }).click({ button: "right" });
  await page.getByRole("dialog").waitFor();
}

test("a search finds text in messages, ignoring accents and case, and shows the text around it", async () => {
  await talk("First things", "The crème brûlée of limiters");
  await talk("Something else");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("searchbox").fill("CREME limiters");
  await lines().filter({ hasText: "First things" }).waitFor();
  await choose("First things");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expect.poll(() => lines().count()).toBe(1);
  await page.locator(".found mark", { hasText: "limiters" }).waitFor();
  await lines().click();
  await page.locator(".found-here", { hasText: "Heard: The crème brûlée of limiters" }).waitFor();
  const marked = () =>
    page.evaluate(() => [...(CSS.highlights.get("found") ?? [])].map((range) => range.toString()));
  await expect.poll(marked).toEqual(["crème", "limiters"]);
  // Back from a result are the results, also in a window that shows the list beside it.
  await page.getByRole("button", { name: "Back" }).click();
  await page.locator(".found mark", { hasText: "limiters" }).waitFor();
  await page.setViewportSize({ width: 1000, height: 800 });
  await page.getByText("Pick a session, or begin a new one.").waitFor();
  expect(await page.getByRole("searchbox").inputValue()).toBe("CREME limiters");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("searchbox").fill("nobody said this");
  await page.getByText("No message contains these words.").waitFor();
});

test("found text of a plan is marked on its card, and of a question where the choice is shown", async () => {
  edge.play((body) => (body.input.type === "answers" ? answering(body) : planning(body)));
  await newSession(page);
  await say(page, "/plan Limit each token");
  const sheet = page.getByRole("dialog");
  for (const option of ["Sliding window", "429"]) {
    await sheet.getByText(option).click();
    await sheet.getByRole("button", { name: "Next" }).click();
  }
  await sheet.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByRole("button", { name: "Approve and run" }).waitFor();
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("button", { name: "Search" }).click();
  for (const [words, place] of [
    ["Document both", ".found-here .card.plan"],
    ["tells a client", ".found-here .stop-line"],
  ] as const) {
    await page.getByRole("searchbox").fill(words);
    await lines().click();
    await page.locator(place).first().waitFor();
    await page.getByRole("button", { name: "Back" }).click();
  }
  await lines().click();
  await page.getByText("You chose Which status tells a client to wait? 429").waitFor();
});

test("a message found far up in a long session is scrolled into view", async () => {
  await talk("Needle", "and so on ".repeat(400).trim(), "The end");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("searchbox").fill("heard needle");
  await lines().click();
  const found = page.locator(".found-here", { hasText: "Heard: Needle" });
  await found.waitFor();
  await expect.poll(() => found.evaluate((row) => row.getBoundingClientRect().top)).toBeGreaterThan(0);
  await page.getByRole("button", { name: "To the newest" }).waitFor();
});

test("a title changed in the list stays, and the session does not become newer by it", async () => {
  await talk("Older");
  await talk("Newer");
  await choose("Older");
  await page.getByLabel("Name").fill("Renamed");
  await page.getByLabel("Name").press("Enter");
  await page.keyboard.press("Escape");
  // The session is in the list before it is stored.
  await expect
    .poll(() => storedUnder(page, "session/"))
    .toContainEqual(expect.objectContaining({ title: "Renamed" }));
  await page.reload();
  await expect.poll(() => page.locator(".session-title").allTextContents()).toEqual(["Newer", "Renamed"]);
});

test("where the browser does not list its notifications, a session opens all the same", async () => {
  await page.addInitScript(() => {
    const refuse = () => Promise.reject(new DOMException("No.", "AbortError"));
    Object.assign(ServiceWorkerRegistration.prototype, { getNotifications: refuse });
  });
  await page.reload();
  await page.evaluate(() => navigator.serviceWorker.ready);
  // If its page logged an error, this test would fail at its end.
  await talk("Is it there?");
});

test("an archived session leaves the list, is still found, and comes back", async () => {
  await talk("Put me away");
  await choose("Put me away");
  await page.getByRole("dialog").getByRole("button", { name: "Archive" }).click();
  await page.getByText("“Put me away” is archived.").waitFor();
  await expect.poll(() => lines().count()).toBe(0);
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("searchbox").fill("away");
  await lines().filter({ hasText: "Archived" }).waitFor();
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("button", { name: "Archived (1)" }).click();
  await choose("Put me away");
  await page.getByRole("dialog").getByRole("button", { name: "Unarchive" }).click();
  await page.getByRole("button", { name: "Back to all sessions" }).click();
  await lines().filter({ hasText: "Put me away" }).waitFor();
});

test("a deleted session can be taken back whole", async () => {
  await talk("Precious");
  await choose("Precious");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("“Precious” is deleted.").waitFor();
  await expect.poll(() => lines().count()).toBe(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await lines().filter({ hasText: "Precious" }).click();
  await page.getByText("Heard: Precious").waitFor();
});

test("a session that is deleted while it runs is stopped, so that nothing runs unseen", async () => {
  edge.play((body) => writing(body, new Promise(() => undefined)));
  await newSession(page);
  await say(page, "Endless");
  await page.getByText("A gateway in front of").waitFor();
  await page.getByRole("button", { name: "Back" }).click();
  await choose("Endless");
  await page.getByText("into the bin for 30 days; its turn is stopped").waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("“Endless” is deleted.").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await lines().filter({ hasText: "Endless" }).filter({ hasText: "Stopped" }).waitFor();
});

test("the bin keeps a deleted session for 30 days: it can be restored, or deleted for good", async () => {
  await page.clock.install();
  await talk("Gone");
  await choose("Gone");
  await page.getByText("The folder it works in stays as it is").waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("is deleted.").waitFor();
  await page.clock.fastForward(13_000);
  await page.getByText("is deleted.").waitFor({ state: "detached" });
  await page.reload();
  const bin = page.getByRole("dialog", { name: "Bin" });
  await page.getByRole("button", { name: "Bin (1)" }).click();
  await bin.getByText("gone in 30 days").waitFor();
  await bin.getByRole("button", { name: "Restore: Gone" }).click();
  await bin.getByText("It is empty.").waitFor();
  await page.keyboard.press("Escape");
  await lines().filter({ hasText: "Gone" }).click();
  await page.getByText("Heard: Gone").waitFor();
  await page.goBack();
  await choose("Gone");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Bin (1)" }).click();
  expect(edge.deleted).toEqual([]);
  await bin.getByRole("button", { name: "Delete for good: Gone" }).click();
  await bin.getByRole("button", { name: "Delete for good: Gone" }).click();
  await expect.poll(() => edge.deleted).toEqual(["sb1"]);
  // The list no longer offers to undo it.
  expect(await page.getByText("is deleted.").count()).toBe(0);
  await expect.poll(() => keptKeys(page)).toEqual(["settings"]);
  await page.reload();
  await page.getByText("No sessions yet").waitFor();
});

test("what was in the bin for 30 days is deleted at the next start, from this device and from the server", async () => {
  await page.clock.install();
  await talk("Old");
  await choose("Old");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Bin (1)" }).waitFor();
  const day = 86_400_000;
  await page.clock.setSystemTime(Date.now() + 29 * day);
  await page.reload();
  await page.getByRole("button", { name: "Bin (1)" }).click();
  await page.getByRole("dialog").getByText("gone in 1 day").waitFor();
  expect(edge.deleted).toEqual([]);
  await page.clock.setSystemTime(Date.now() + 30 * day + 60_000);
  await page.reload();
  await expect.poll(() => edge.deleted).toEqual(["sb1"]);
  await expect.poll(() => keptKeys(page)).toEqual(["settings"]);
  expect(await page.getByRole("button", { name: /^Bin/ }).count()).toBe(0);
});

test("files on the server are deleted once it can be reached, and never those that another device may use", async () => {
  await page.clock.install();
  await talk("Exported");
  await talk("Offline");
  await choose("Exported");
  await page.getByText("Export…").click();
  await Promise.all([page.waitForEvent("download"), page.getByText("Everything, as JSON").click()]);
  await page.keyboard.press("Escape");
  await choose("Exported");
  await page.getByText("so its files stay on the server").waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("“Exported” is deleted.").waitFor();
  // From now on the service worker has the code that was not loaded yet.
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await phone.context.setOffline(true);
  await choose("Offline");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("“Offline” is deleted.").waitFor();
  await page.getByRole("button", { name: "Bin (2)" }).click();
  await page.getByRole("button", { name: "Empty the bin" }).click();
  await page.getByRole("button", { name: /^Tap again/ }).click();
  // The deletion records the work that is still to do on the server.
  await expect.poll(() => storedUnder(page, "leftover/")).toEqual([true]);
  expect(edge.deleted).toEqual([]);
  await phone.context.setOffline(false);
  await page.reload();
  await expect.poll(() => edge.deleted).toEqual(["sb2"]);
});

test("a copy holds the messages up to the chosen one, and continues by itself", async () => {
  await talk("One", "Two");
  await choose("One");
  await page.getByText("Duplicate…").click();
  await page.getByText("It works in the same folder, whose files stay as they are now.").waitFor();
  await page.locator(".choice", { hasText: "Heard: One" }).click();
  await page.getByRole("heading", { name: "One (copy)" }).waitFor();
  await page.getByText("Heard: One").waitFor();
  expect(await page.getByText("Heard: Two").count()).toBe(0);
  await say(page, "Three");
  await page.getByText("Heard: Three").waitFor();
  const posted = edge.posts.at(-1);
  expect(posted?.messages.map(({ content }) => content)).toEqual(["One", "Heard: One"]);
  expect(posted?.sandboxId).toBe("sb2");
  await page.getByRole("button", { name: "Back" }).click();
  await lines().filter({ hasNotText: "(copy)" }).click();
  await page.getByText("Heard: Two").waitFor();
  expect(await page.getByText("Heard: Three").count()).toBe(0);
});

test("a session's model is sent with its turns, and new sessions use the one from the settings", async () => {
  await talk("Hello");
  expect(edge.posts.at(-1)?.model).toBeNull();
  await lines().first().click();
  await page.getByRole("button", { name: "More about this session" }).click();
  await page.locator("dialog .menu-row", { hasText: "Model" }).click();
  await page.getByRole("radio", { name: "demo Scripted demo" }).click();
  await say(page, "Again");
  await page.getByText("Heard: Again").waitFor();
  expect(edge.posts.at(-1)?.model).toEqual({ provider: "default", id: "demo" });
  await page.goto(`${edge.url}/#/settings`);
  const ofNew = page.getByRole("radiogroup", { name: "Model of new sessions" });
  await ofNew.getByRole("radio", { name: "demo Scripted demo" }).check();
  await page.getByRole("button", { name: "Back" }).click();
  await talk("Fresh");
  expect(edge.posts.at(-1)?.model).toEqual({ provider: "default", id: "demo" });
});
