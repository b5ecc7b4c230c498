// A session in the list: what was not sent in it, what was not seen of it, and the actions that a swipe shows.
// @module-tag long
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { gate } from "../harness/gate.ts";
import { test } from "./fixture.ts";
import { composer, newSession, pair, say } from "./phone.ts";
import { answer } from "./scenes.ts";

/** A thumb moves from the right to the left over the row that begins at `top`. */
async function swipeLeft(page: Page, top: number): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...xs: number[]) =>
    cdp.send("Input.dispatchTouchEvent", { type, touchPoints: xs.map((x) => ({ x, y: top + 20 })) });
  await touch("touchStart", 320);
  for (let x = 300; x > 100; x -= 20) await touch("touchMove", x);
  await touch("touchEnd");
}

test("the list shows what was typed and not sent, and what has ended since it was looked at, until it is opened", async ({
  edge,
  page,
}) => {
  const more = gate();
  const lines = page.locator(".session-line");
  await pair(page, edge);
  edge.play((body) => answer(body, more.passed));
  await newSession(page);
  await say(page, "Take your time");
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
  await composer(page).fill("And then\nthe readme");
  await page.getByRole("button", { name: "Back" }).click();
  const line = lines.filter({ hasText: "Take your time" });
  await line.getByText("Draft And then the readme").waitFor();
  expect(await line.getByText("Unread").count()).toBe(0);
  more.open();
  await line.getByText("Unread").waitFor();
  await page.reload();
  await line.getByText("Unread").waitFor();
  await line.click();
  expect(await composer(page).inputValue()).toBe("And then\nthe readme");
  await composer(page).fill("");
  await page.getByRole("button", { name: "Back" }).click();
  await line.getByText("Draft").waitFor({ state: "detached" });
  await line.getByText("Unread").waitFor({ state: "detached" });
});

test("a swipe to the left on a session offers to archive it, and the menu of its actions", async ({
  edge,
  page,
}) => {
  const lines = page.locator(".session-line");
  edge.play(answer);
  await pair(page, edge);
  await newSession(page);
  await say(page, "To be put away");
  await page.getByText("Heard: To be put away").waitFor();
  await page.getByRole("button", { name: "Back" }).click();
  const row = page.locator(".swipes");
  const archive = row.getByRole("button", { name: "Archive: To be put away" });
  const width = page.viewportSize()?.width ?? 0;
  expect((await archive.boundingBox())?.x).toBeGreaterThanOrEqual(width);
  await swipeLeft(page, (await lines.boundingBox())?.y ?? 0);
  await expect.poll(async () => (await archive.boundingBox())?.x).toBeLessThanOrEqual(width - 84);
  await row.getByRole("button", { name: "More: To be put away" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Delete/ })
    .waitFor();
  await page.keyboard.press("Escape");
  await archive.click();
  await lines.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await lines.waitFor();
});
