// Interruptions by the phone itself: storage that fails in the background, lists and tabs without a
// connection.
// @module-tag long
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { gate } from "../harness/gate.ts";
import type { FakeEdge, Played } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { composer, newSession, newTab, type Phone, pair, say } from "./phone.ts";
import { answer, answering, planning } from "./scenes.ts";

let edge: FakeEdge;
let phone: Phone;
let page: Page;

test.override({ serviceWorker: true, mayLogErrors: true });
test.beforeEach(async ({ edge: served, phone: opened }) => {
  edge = served;
  phone = opened;
  page = phone.page;
});

test("storage whose connection was lost in the background is reopened, and keeps the messages", async () => {
  await page.addInitScript(() => {
    const opened: IDBDatabase[] = [];
    const open = IDBFactory.prototype.open;
    IDBFactory.prototype.open = function (...args) {
      const request = open.apply(this, args);
      request.addEventListener("success", () => opened.push(request.result));
      return request;
    };
    Object.assign(window, { loseStorage: () => opened.splice(0).map((database) => database.close()) });
  });
  edge.play((body) => answer(body));
  await pair(page, edge);
  await newSession(page);
  await page.evaluate("loseStorage()");
  await say(page, "Keep this");
  await page.getByText("Heard: Keep this").waitFor();
  await page.evaluate("loseStorage()");
  await composer(page).fill("and this draft");
  await composer(page).blur();
  await page.reload();
  await page.getByText("Heard: Keep this").waitFor();
  await expect.poll(() => composer(page).inputValue()).toBe("and this draft");
  expect(await page.getByRole("alert").count()).toBe(0);
});

test("without a connection the list does not show anything as running", async () => {
  const { passed, open } = gate();
  edge.play((body) => answer(body, passed));
  await pair(page, edge);
  await newSession(page);
  await say(page, "Hello");
  await page.getByText("Live").waitFor();
  await page.getByRole("button", { name: "Back" }).click();
  const line = page.locator(".session-line");
  await line.getByText("Working").waitFor();
  await phone.context.setOffline(true);
  await line.getByText("Was running when the connection was lost").waitFor();
  await expect.poll(() => page.locator(".session-line.running").count()).toBe(0);
  open();
  await phone.context.setOffline(false);
  await line.getByText("2 messages").waitFor();
});

test("another tab follows the text as it is written", async () => {
  const { passed, open } = gate();
  const more = gate();
  const delta = (text: string): Played => ({ event: "text.delta", data: { messageId: "m", delta: text } });
  edge.play((body) => answer(body, passed, delta("half a sen"), more.passed));
  await pair(page, edge);
  await newSession(page);
  await say(page, "Hello");
  await page.getByText("Live").waitFor();
  const second = await newTab(phone.context);
  await second.goto(page.url());
  await second.getByText("Here you can only read along").waitFor();
  open();
  await second.getByText("half a sen").waitFor();
  more.open();
  await second.getByText("Heard: Hello").waitFor();
});

test("a queued message can be removed, and is not sent", async () => {
  const { passed, open } = gate();
  edge.play((body) => answer(body, passed));
  await pair(page, edge);
  await newSession(page);
  await say(page, "First");
  await page.getByText("Live").waitFor();
  await say(page, "Second");
  await page.getByText("1 message waiting").click();
  await page.locator(".queued", { hasText: "Second" }).getByRole("button", { name: "Remove" }).click();
  await say(page, "Third");
  open();
  await page.getByText("Heard: Third").waitFor();
  expect(edge.posts.map(({ input }) => input.type === "message" && input.text)).toEqual(["First", "Third"]);
});

test("feedback typed for a rejection survives a reload", async () => {
  edge.play((body) => (body.input.type === "answers" ? answering(body) : planning(body)));
  await pair(page, edge);
  await newSession(page);
  await say(page, "/plan Limit each API token");
  const sheet = page.getByRole("dialog");
  for (const choice of ["Sliding window", "429"]) {
    await sheet.getByText(choice).click();
    await sheet.getByRole("button", { name: "Next" }).click();
  }
  await sheet.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByRole("button", { name: "Reject" }).click();
  const words = page.getByRole("textbox", { name: "What should be different?" });
  await words.fill("Use less memory");
  await page.keyboard.press("Escape");
  await page.reload();
  await page.getByRole("button", { name: "Reject" }).click();
  await expect.poll(() => words.inputValue()).toBe("Use less memory");
});

test("a tab that takes over has everything typed in the other one so far", async () => {
  await pair(page, edge);
  await newSession(page);
  const second = await newTab(phone.context);
  await second.goto(page.url());
  await second.getByText("Here you can only read along").waitFor();
  await composer(page).fill("typed a moment ago");
  await second.getByRole("button", { name: "Use it here" }).click();
  await expect.poll(() => composer(second).inputValue()).toBe("typed a moment ago");
  await composer(second).and(second.locator(":enabled")).waitFor();
  // The other tab's older state must not overwrite the words that are typed here.
  await composer(second).fill("typed later");
  await composer(second).blur();
  await page.reload();
  await expect.poll(() => composer(page).inputValue()).toBe("typed later");
});

const deleteDatabase = (at: Page) =>
  at.evaluate(
    () =>
      new Promise((resolve) => {
        const deleting = indexedDB.deleteDatabase("handrail");
        deleting.onsuccess = resolve;
      }),
  );

test("storage that is deleted while the app is open is reported, and what is open is stored again", async () => {
  edge.play((body) => answer(body));
  await pair(page, edge);
  await newSession(page);
  await say(page, "Other");
  await page.getByText("Heard: Other").waitFor();
  await page.goto(`${edge.url}/#/`);
  await page.reload();
  await newSession(page);
  await say(page, "Keep this");
  await page.getByText("Heard: Keep this").waitFor();
  await deleteDatabase(page);
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("alert").getByText("deleted what Handrail keeps on this device").waitFor();
  const other = page.locator(".session-line", { hasText: "Other" });
  await other.getByText("Its conversation was deleted by the browser").waitFor();
  await page.reload();
  await page.locator(".session-line", { hasText: "Keep this" }).click();
  await page.getByText("Heard: Keep this").waitFor();
  await say(page, "And on");
  await page.getByText("Heard: And on").waitFor();
});

test("storage that is found deleted is reported when the device is paired again, and the sessions are listed again", async () => {
  edge.play((body) => answer(body));
  await pair(page, edge);
  await newSession(page);
  await say(page, "Hello");
  await page.getByText("Heard: Hello").waitFor();
  await expect.poll(() => page.evaluate(() => localStorage.getItem("sessions"))).toContain("Hello");
  await page.goto(`${edge.url}/icon.svg`);
  await deleteDatabase(page);
  await page.goto(edge.url);
  await page.getByText("The server still has the sessions").waitFor();
  await pair(page, edge);
  await page.locator(".session-line", { hasText: "Hello" }).click();
  await page.getByText("deleted what was said in this session").waitFor();
  await say(page, "Go on");
  await page.getByText("Heard: Go on").waitFor();
});
