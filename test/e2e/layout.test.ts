// Every screen at common sizes: small, landscape, with large type, wide. Nothing is cut off, covered or wider
// than the screen.
// @module-tag long
import type { Browser, Page } from "playwright-core";
import { afterAll, describe, expect } from "vitest";
import { type FakeEdge, startFakeEdge } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { newSession, openPhone, pair, say } from "./phone.ts";
import { answering, executing, planning, wholeDiff } from "./scenes.ts";
import { visitScreens } from "./screens.ts";
import { small } from "./touch-targets.ts";

let browser: Browser;
let edge: FakeEdge;

test.beforeAll(async ({ browser: shared }) => {
  browser = shared;
  edge = await startFakeEdge();
});
afterAll(async () => {
  await edge?.close();
});

/** Lists elements that are wider than the screen, buttons with clipped text, and a bar below the screen. */
async function cut(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const told: string[] = [];
    const say = (what: string, element: Element) => told.push(`${what}: ${element.outerHTML.slice(0, 120)}`);
    if (document.documentElement.scrollWidth > innerWidth) told.push("the page is wider than the screen");
    const shown = (selector: string) =>
      [...document.querySelectorAll<HTMLElement>(selector)].filter((element) => element.checkVisibility());
    for (const element of shown(".page-scroll, .transcript, .sheet-scroll, .bar, .page-head, .sheet-head"))
      if (element.scrollWidth > element.clientWidth + 1) say("too wide", element);
    for (const element of shown(".button, .pill, .badge, .segments:not(.scrolls) label"))
      if (element.scrollWidth > element.clientWidth + 1) say("words cut", element);
    const fields = innerWidth < 360 ? ".composer textarea, input" : "no-field";
    for (const field of shown(`:is(${fields}):placeholder-shown`)) {
      const { font, paddingLeft, paddingRight } = getComputedStyle(field);
      const pen = document.createElement("canvas").getContext("2d");
      if (pen !== null) pen.font = font;
      const words = field.getAttribute("placeholder") ?? "";
      const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
      if (pen !== null && pen.measureText(words).width > room) say("words cut", field);
    }
    for (const title of innerWidth < 360 ? shown(".page-head h1") : [])
      if (title.getBoundingClientRect().height > 30) say("two lines", title);
    for (const bar of shown("footer.bar"))
      if (bar.getBoundingClientRect().bottom > innerHeight + 0.5) say("below the screen", bar);
    return told;
  });
}

async function opened(width: number, height: number, large = false) {
  const context = await browser.newContext({
    viewport: { width, height },
    hasTouch: true,
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(15_000);
  // Sets twice the text size; all lengths in rem follow.
  if (large)
    await context.addInitScript(() => {
      const style = new CSSStyleSheet();
      style.replaceSync("html { font-size: 200% }");
      document.adoptedStyleSheets.push(style);
    });
  const page = await context.newPage();
  return { page, context };
}

const sizes = [
  { name: "320 px", width: 320, height: 568 },
  { name: "a phone on its side", width: 844, height: 390 },
  { name: "200 % text", width: 390, height: 844, large: true },
];

for (const { name, width, height, large } of sizes)
  test(`no screen is cut off: ${name}`, { tags: width === 320 ? [] : "long" }, async () => {
    const { page, context } = await opened(width, height, large);
    await visitScreens(page, edge, async (screen) => {
      expect.soft(await cut(page), screen).toEqual([]);
      if (width === 320) expect.soft(await small(page), `${screen}, sizes`).toEqual([]);
    });
    await context.close();
  });

async function proposed(page: Page): Promise<void> {
  edge.diff(wholeDiff);
  edge.play((body) => {
    if (body.input.type === "answers") return answering(body);
    return body.input.type === "approve" ? executing(body) : planning(body);
  });
  await pair(page, edge);
  await newSession(page);
  await say(page, "/plan Limit each API token");
  const sheet = page.getByRole("dialog");
  for (const option of ["Sliding window", "429"]) {
    await sheet.getByText(option).click();
    await sheet.getByRole("button", { name: "Next" }).click();
  }
  await sheet.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByRole("button", { name: "Approve and run" }).waitFor();
}

test("at 320 px a question takes at most a third of the screen", async () => {
  const { page, context } = await opened(320, 568);
  await proposed(page);
  const bar = await page.locator("footer.bar").boundingBox();
  expect(bar?.height).toBeLessThan(568 / 3);
  const caret = await page.getByRole("button", { name: "Other ways to approve" }).boundingBox();
  expect((caret?.x ?? 0) + (caret?.width ?? 0)).toBeLessThanOrEqual(304.5);
  await context.close();
});

test("with 200 % text a part of the plan stays readable above the question", {
  tags: "long",
}, async () => {
  const { page, context } = await opened(390, 844, true);
  await proposed(page);
  const transcript = await page.locator(".transcript").boundingBox();
  expect(transcript?.height).toBeGreaterThan(844 / 4);
  expect(await cut(page)).toEqual([]);
  await context.close();
});

test("in landscape more than half of the screen stays readable, and every button fits", {
  tags: "long",
}, async () => {
  const { page, context } = await opened(844, 390);
  await proposed(page);
  const transcript = await page.locator(".transcript").boundingBox();
  expect(transcript?.height).toBeGreaterThan(390 / 2);
  const pill = await page.locator(".pill").boundingBox();
  const input = await page.locator(".input-box").boundingBox();
  expect(pill?.x).toBe(input?.x);
  expect(pill?.y).toBeGreaterThan((input?.y ?? 0) + (input?.height ?? 0) - 1);
  await context.close();
});

test("an on-screen keyboard leaves the input and the question visible", async () => {
  const { page, context } = await opened(390, 844);
  await proposed(page);
  // An open keyboard makes the visible part of the page shorter.
  await page.setViewportSize({ width: 390, height: 430 });
  await page.locator(".composer textarea").focus();
  await expect
    .poll(() => page.evaluate(() => document.querySelector("footer.bar")?.getBoundingClientRect().bottom))
    .toBeLessThanOrEqual(430.5);
  for (const part of [".composer textarea", ".send", ".split .button", ".pill"]) {
    const box = await page.locator(part).first().boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 999)).toBeLessThanOrEqual(430.5);
  }
  expect((await page.locator(".transcript").boundingBox())?.height).toBeGreaterThan(150);
  await context.close();
});

describe("wide", () => {
  test("from 1,280 px the changes are beside the session, follow it, and get the focus when they are opened", {
    tags: "long",
  }, async () => {
    const { page, context, errors } = await openPhone(browser, { keyboard: true });
    await proposed(page);
    const changes = page.getByRole("complementary", { name: "Changes" });
    await changes.getByText(/^2 files · /).waitFor();
    await page.getByRole("button", { name: "Approve and run" }).click();
    await page.getByRole("heading", { name: "Finished" }).waitFor();
    await changes.getByText("Since step 1").waitFor();
    await say(page, "/diff");
    await expect.poll(() => changes.evaluate((pane) => pane === document.activeElement)).toBe(true);
    await page.locator(".composer").waitFor();
    await changes.locator(".diff-line.added").first().click();
    await changes.getByRole("textbox", { name: /^Comment on line/ }).fill("Say why");
    await changes.getByRole("button", { name: "Send 1 comment" }).click();
    await page.locator(".bubble", { hasText: "Say why" }).waitFor();
    // The next plan's question opens by itself.
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.setViewportSize({ width: 1279, height: 800 });
    await page.locator(".page.session").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Back", exact: true }).click();
    await page.locator(".page.session").waitFor();
    await changes.waitFor({ state: "detached" });
    expect(errors).toEqual([]);
    await context.close();
  });

  test("on a tablet a thumb hits the buttons that fold the panes", { tags: "long" }, async () => {
    const { page, context } = await opened(1_280, 800);
    await pair(page, edge);
    await newSession(page);
    await expect.poll(() => page.locator(".splitter-fold").count()).toBe(2);
    expect((await small(page)).filter((element) => element.includes("splitter-fold"))).toEqual([]);
    await context.close();
  });

  test("a rotated tablet keeps its page, and the sheet that is open over it", {
    tags: "long",
  }, async () => {
    const { page, context } = await opened(834, 1112);
    await proposed(page);
    await page.getByRole("button", { name: "Reject" }).click();
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("textbox").fill("Smaller steps");
    await page.setViewportSize({ width: 1112, height: 834 });
    await page.getByRole("region", { name: "Sessions" }).waitFor({ state: "attached" });
    expect(await sheet.getByRole("textbox").inputValue()).toBe("Smaller steps");
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await page.setViewportSize({ width: 1366, height: 1024 });
    await say(page, "/diff");
    await page.getByRole("complementary", { name: "Changes" }).waitFor();
    await page.getByRole("button", { name: "Commit", exact: true }).click();
    await sheet.waitFor();
    await page.setViewportSize({ width: 1024, height: 1366 });
    await page.locator(".page.session").waitFor({ state: "detached" });
    await page.getByRole("dialog", { name: "Commit" }).waitFor();
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await context.close();
  });
});
