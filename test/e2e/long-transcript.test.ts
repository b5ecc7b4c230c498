// A session of 10,000 messages: the page mounts few rows, all rows can be reached, and the last scroll
// position is restored.
// @module-tag long
import type { Browser, Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import { type FakeEdge, startFakeEdge } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { storeLongSession } from "./long-session.ts";
import { openPhone, pair } from "./phone.ts";

let browser: Browser;
let edge: FakeEdge;

test.beforeAll(async ({ browser: shared }) => {
  browser = shared;
  edge = await startFakeEdge();
});
afterAll(async () => {
  await edge?.close();
});

async function openLong(messages: number): Promise<Page> {
  const { page } = await openPhone(browser);
  await pair(page, edge);
  const id = await storeLongSession(page, messages);
  await page.goto(`${edge.url}/#/s/${id}`);
  await page.reload();
  await page.locator(".row.user").first().waitFor();
  return page;
}

const mounted = (page: Page) => page.locator(".rows .row").count();
const newest = (page: Page) => page.getByText("Question 2499:");

/** The topmost visible question and its position. */
function inSight(page: Page) {
  return page.locator(".row.user").evaluateAll((rows) => {
    const edgeTop = document.querySelector(".transcript")?.getBoundingClientRect().top ?? 0;
    const row = rows.find((each) => each.getBoundingClientRect().top >= edgeTop);
    return { text: row?.textContent, top: Math.round((row?.getBoundingClientRect().top ?? 0) - edgeTop) };
  });
}

/** Turns the wheel and waits until scrolling ends. */
async function scroll(page: Page, byPx: number): Promise<void> {
  await page.locator(".transcript").evaluate((box) => {
    const ended = new Promise((resolve) => box.addEventListener("scrollend", resolve, { once: true }));
    Object.assign(window, { ended });
  });
  await page.mouse.wheel(0, byPx);
  await page.evaluate(() => Reflect.get(window, "ended"));
  // The page inserts earlier rows above and moves the visible ones back into place, which takes two frames.
  const twoFrames = () =>
    page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  for (let last = ""; ; await twoFrames()) {
    const now = JSON.stringify([await inSight(page), await mounted(page)]);
    if (now === last) return;
    last = now;
  }
}

test("10,000 messages open at the newest with few rows; scrolling up loads all of them, and never many at once", {
  tags: "long",
}, async () => {
  const page = await openLong(10_000);
  await newest(page).waitFor();
  await expect.poll(() => mounted(page)).toBeLessThanOrEqual(60);
  await page.locator(".transcript").hover();
  const seen = new Set<string | null | undefined>();
  let most = 0;
  while (seen.size < 120) {
    await page.mouse.wheel(0, -900);
    seen.add((await inSight(page)).text);
    most = Math.max(most, await mounted(page));
  }
  expect(most).toBeLessThanOrEqual(150);
  await page.getByRole("button", { name: "To the newest" }).click();
  await newest(page).waitFor();
  await expect.poll(() => mounted(page)).toBeLessThanOrEqual(60);
  await page.context().close();
});

test("the visible rows do not move when earlier rows are loaded", async () => {
  const page = await openLong(2_000);
  await page.locator(".transcript").hover();
  for (let index = 0; index < 4; index += 1) await scroll(page, -700);
  await expect.poll(async () => (await inSight(page)).text).not.toContain("Question 499");
  const rows = await mounted(page);
  const before = await inSight(page);
  await scroll(page, -400);
  await expect.poll(() => mounted(page)).toBeGreaterThanOrEqual(rows);
  const first = page.locator(".row.user", { hasText: before.text ?? "" });
  const moved = () =>
    first.evaluate((row) => {
      const top = document.querySelector(".transcript")?.getBoundingClientRect().top ?? 0;
      return row.getBoundingClientRect().top - top;
    });
  await expect.poll(async () => Math.abs((await moved()) - before.top - 400)).toBeLessThanOrEqual(2);
  await page.context().close();
});

test("a session reopens where it was left", async () => {
  const page = await openLong(2_000);
  await page.locator(".transcript").hover();
  for (let index = 0; index < 12; index += 1) await scroll(page, -900);
  await expect.poll(async () => (await inSight(page)).text).toMatch(/Question 4[0-8]\d/);
  const before = await inSight(page);
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByText("A long day").click();
  await page.locator(".row.user").first().waitFor();
  await expect.poll(() => inSight(page)).toEqual(before);
  await page.context().close();
});
