// A wide window: panes that are moved, folded and remembered, a transcript that keeps its width and its place, everything by Ctrl+K.
// @module-tag long
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { test } from "./fixture.ts";
import { newSession, openPhone, pair, say } from "./phone.ts";
import { assistant, started } from "./scenes.ts";

const widths = [1280, 1440, 1920];
const box = async (page: Page, selector: string) =>
  (await page.locator(selector).first().boundingBox())?.width ?? 0;

test("panes are moved, folded and remembered, and nothing replaces the transcript", async ({
  browser,
  edge,
}) => {
  const { page, context, errors } = await openPhone(browser, { keyboard: true });
  edge.play((body) => [
    started(body),
    assistant("normal", "Looked at all of it."),
    { event: "turn.done", data: { reason: "stop", rounds: 1 } },
  ]);
  edge.diff(
    "diff --git a/a.ts b/a.ts\nindex 1111111..2222222 100644\n--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n",
  );
  await pair(page, edge);
  await newSession(page);
  await say(page, "Look");
  const pane = page.getByRole("complementary");
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    await pane.getByRole("heading", { name: "Changes" }).waitFor();
    expect(await box(page, ".page.session")).toBeGreaterThanOrEqual(640);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    const folder = process.env.HANDRAIL_SCREENS;
    for (const colorScheme of folder === undefined ? [] : (["light", "dark"] as const)) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${folder}/desk-${width}-${colorScheme}.png` });
    }
  }
  const line = page.getByRole("separator", { name: "Width of the list of sessions" });
  const before = Number(await line.getAttribute("aria-valuenow"));
  await line.focus();
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => line.getAttribute("aria-valuenow")).toBe(String(before + 24));
  await page.keyboard.press("Control+b");
  await page.getByRole("button", { name: "Show the list of sessions" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Show the list of sessions" }).click();
  await expect.poll(() => line.getAttribute("aria-valuenow")).toBe(String(before + 24));

  // A pane with room has both sides of a difference side by side, which is remembered.
  const columns = pane.getByRole("button", { name: "Old and new side by side" });
  await page.setViewportSize({ width: 1_920, height: 900 });
  const side = page.getByRole("separator", { name: "Width of the side pane" });
  await side.focus();
  for (let presses = 0; presses < 14; presses += 1) await page.keyboard.press("ArrowLeft");
  await columns.click();
  const old = pane.locator(".split-row", { hasText: "two" }).locator(".diff-line");
  await expect.poll(() => old.allTextContents()).toEqual(["2removed: two", "2added: zwei"]);
  await page.reload();
  await pane.locator(".split-row").first().waitFor();
  await columns.click();
  await pane.locator(".sign").first().waitFor();

  // Files, an open file and Settings come beside it.
  for (const name of ["Files", "Settings"]) {
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Go to, or do" });
    await palette.getByRole("searchbox").fill(name);
    await page.keyboard.press("Enter");
    await pane.getByRole("heading", { name, exact: true }).waitFor();
    await page.locator(".page.session").getByText("Looked at all of it.").waitFor();
    if (name === "Files") {
      await pane.getByText("README.md").click();
      await pane.getByRole("heading", { name: "README.md" }).waitFor();
      expect(await box(page, ".page.session")).toBeGreaterThanOrEqual(640);
    }
    await page.locator('.session-line[aria-current="page"]', { hasText: "Look" }).waitFor();
  }
  // Beside Settings too, the session in sight is the one that things are done with.
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Go to, or do" }).getByText("Undo to…").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Session menu" }).click();
  await page.getByRole("dialog").getByText("Undo to…").waitFor();
  await page.keyboard.press("Escape");
  await page.locator("body").click({ position: { x: 700, y: 400 } });
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).getByText("find a session or something to do").waitFor();
  expect(errors).toEqual([]);
  await context.close();
});
