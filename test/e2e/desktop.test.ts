// A wide window: panes can be moved and folded and are remembered, the transcript keeps its width and its
// place, and Ctrl+K reaches everything.
// @module-tag long
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { test } from "./fixture.ts";
import { composer, newSession, openPhone, pair, say } from "./phone.ts";
import { assistant, started } from "./scene-messages.ts";
import { answer, planning } from "./scenes.ts";
import { asking } from "./scenes-that-wait.ts";

const widths = [1280, 1440, 1920];
const box = async (page: Page, selector: string) =>
  (await page.locator(selector).first().boundingBox())?.width ?? 0;

test("panes are resized, collapsed and remembered, and nothing replaces the transcript", async ({
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
  const line = page.getByRole("separator", { name: "Width of the list of sessions" });
  const side = page.getByRole("separator", { name: "Width of the side pane" });
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
  const before = Number(await line.getAttribute("aria-valuenow"));
  await line.focus();
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => line.getAttribute("aria-valuenow")).toBe(String(before + 24));
  await page.keyboard.press("Control+b");
  await page.getByRole("button", { name: "Show the list of sessions" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Show the list of sessions" }).click();
  await expect.poll(() => line.getAttribute("aria-valuenow")).toBe(String(before + 24));

  // In a wide pane, a diff can show its old and new side next to each other. The app remembers this choice.
  const columns = pane.getByRole("button", { name: "Old and new side by side" });
  await page.setViewportSize({ width: 1_920, height: 900 });
  await side.focus();
  for (let presses = 0; presses < 14; presses += 1) await page.keyboard.press("ArrowLeft");
  await columns.click();
  const old = pane.locator(".split-row", { hasText: "two" }).locator(".diff-line");
  await expect.poll(() => old.allTextContents()).toEqual(["2removed: two", "2added: zwei"]);
  await page.reload();
  await pane.locator(".split-row").first().waitFor();
  await columns.click();
  await pane.locator(".sign").first().waitFor();

  // Files, an open file and Settings open next to the session.
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
  // While Settings are open too, commands apply to the visible session.
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

test("a digit answers a permission or a question, and is a letter where somebody types", async ({
  browser,
  edge,
}) => {
  const { page, context, errors } = await openPhone(browser, { keyboard: true });
  edge.play(asking);
  await pair(page, edge);
  await newSession(page);
  await say(page, "Push it");
  const allow = page.getByRole("button", { name: "Allow once" });
  await allow.waitFor();
  await page.locator(".ask-bar:not([inert])").waitFor();
  await composer(page).focus();
  await page.keyboard.press("1");
  expect(await composer(page).inputValue()).toBe("1");
  await allow.waitFor();
  await page.keyboard.press("Backspace");
  await page.locator(".asked-card").click();
  const sent = page.waitForRequest(/\/api\/turn$/);
  await page.keyboard.press("1");
  expect((await sent).postDataJSON().input).toMatchObject({ type: "permit", decision: "once" });

  edge.play(planning);
  await newSession(page);
  await say(page, "Plan it");
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("radio").first().waitFor();
  await page.locator(".sheet-body:not([inert])").waitFor();
  // Unless the sheet has been touched, a letter right after its opening counts as meant for the composer.
  await sheet.locator("legend").click();
  await page.keyboard.press("2");
  expect(await sheet.getByRole("radio").nth(1).isChecked()).toBe(true);
  await sheet.getByText("None of these").click();
  await sheet.getByRole("textbox").pressSequentially("1 a minute");
  expect(await sheet.getByRole("textbox").inputValue()).toBe("1 a minute");
  expect(errors).toEqual([]);
  await context.close();
});

test("a dragged pane stays within the window, and follows the pointer from its visible position", async ({
  browser,
  edge,
}) => {
  const { page, context, errors } = await openPhone(browser, { keyboard: true });
  await pair(page, edge);
  await newSession(page);
  const line = page.getByRole("separator", { name: "Width of the list of sessions" });
  const side = page.getByRole("separator", { name: "Width of the side pane" });
  const said = (of: typeof line) => of.getAttribute("aria-valuenow").then(Number);
  const drag = async (of: typeof line, by: number) => {
    const at = await of.boundingBox();
    if (at === null) throw new Error("there is no such line");
    const x = at.x + at.width / 2;
    await page.mouse.move(x, 200);
    await page.mouse.down();
    await page.mouse.move(x + by, 200, { steps: 5 });
    await page.mouse.up();
  };
  const seen = async () => ({
    list: await box(page, ".page.sessions"),
    transcript: await box(page, ".page.session"),
    side: await box(page, ".page.beside"),
  });
  await page.getByRole("complementary").getByRole("heading", { name: "Changes" }).waitFor();

  // At 1,280 px, dragging the list wide leaves the other two panes their minimum width.
  await page.setViewportSize({ width: 1_280, height: 800 });
  await drag(line, 400);
  await expect.poll(seen).toEqual({ list: 324, transcript: 640, side: 300 });
  expect(await said(line)).toBe(324);
  // Dragging back moves the edge without delay.
  await drag(line, -40);
  await expect.poll(() => said(line)).toBe(284);
  expect(await seen()).toEqual({ list: 284, transcript: 640, side: 340 });

  // A width that was set in a large window may be shown narrower in a small one. Dragging starts from the
  // shown width and is remembered.
  await page.setViewportSize({ width: 1_920, height: 900 });
  await drag(side, -900);
  await expect.poll(seen).toEqual({ list: 284, transcript: 640, side: 980 });
  await page.setViewportSize({ width: 1_440, height: 900 });
  await expect.poll(() => said(side)).toBe(500);
  await drag(side, 60);
  await expect.poll(seen).toEqual({ list: 284, transcript: 700, side: 440 });
  await page.reload();
  await page.getByRole("complementary").getByRole("heading", { name: "Changes" }).waitFor();
  await expect.poll(seen).toEqual({ list: 284, transcript: 700, side: 440 });
  // A click without movement sets no width: in a larger window the list is as wide as before.
  await page.setViewportSize({ width: 930, height: 900 });
  await drag(line, 0);
  await page.setViewportSize({ width: 1_440, height: 900 });
  await expect.poll(seen).toEqual({ list: 284, transcript: 700, side: 440 });
  // With two panes, the transcript keeps its 640 px.
  await page.setViewportSize({ width: 930, height: 900 });
  await expect.poll(() => box(page, ".page.session")).toBeGreaterThanOrEqual(640);
  await expect.poll(() => box(page, ".page.sessions")).toBe(282);
  expect(errors).toEqual([]);
  await context.close();
});

test("the list can be filtered to what needs the person, and Alt with the arrow keys walks through it", async ({
  browser,
  edge,
}) => {
  const { page, context, errors } = await openPhone(browser, { keyboard: true });
  edge.play((body) =>
    body.input.type === "message" && body.input.text === "One" ? planning(body) : answer(body),
  );
  await pair(page, edge);
  const filter = page.getByRole("radiogroup", { name: "Which sessions are listed" });
  const lines = page.locator(".session-line .session-title");
  for (const name of ["One", "Two", "Three", "Four", "Five"]) {
    expect(await filter.count()).toBe(0);
    await newSession(page);
    await say(page, name === "One" ? "/plan One" : name);
    if (name === "One") await page.getByRole("dialog").getByText("Sliding window").waitFor();
    else await page.getByText(`Heard: ${name}`).waitFor();
    if (name === "One") await page.keyboard.press("Escape");
  }
  await filter.getByRole("radio", { name: "Needs you" }).check();
  await expect.poll(() => lines.allTextContents()).toEqual(["Limit per token beside the per-IP limit"]);
  await filter.getByRole("radio", { name: "Running" }).check();
  await page.getByText("None right now.").waitFor();
  await filter.getByRole("radio", { name: "Idle" }).check();
  await expect.poll(() => lines.allTextContents()).toEqual(["Five", "Four", "Three", "Two"]);
  const here = page.locator('.session-line[aria-current="page"] .session-title');
  await page.keyboard.press("Alt+ArrowDown");
  await expect.poll(() => here.textContent()).toBe("Four");
  await page.keyboard.press("Alt+ArrowUp");
  await expect.poll(() => here.textContent()).toBe("Five");
  await page.keyboard.press("Alt+ArrowUp");
  await expect.poll(() => here.textContent()).toBe("Five");
  // In a text field, keys belong to the field.
  await composer(page).fill("two\nlines");
  await composer(page).press("Alt+ArrowDown");
  await composer(page).fill("");
  // A session is found by words of its own, even while no filter is visible.
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Alt+ArrowDown");
  expect(await here.textContent()).toBe("Five");
  await page.getByRole("searchbox", { name: "What to go to or to do" }).fill("waiting for you");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator(".page.session h1").textContent()).toContain("Limit per token");
  expect(errors).toEqual([]);
  await context.close();
});
