// A phone with Chromium: opens the app with a phone's screen size and pointer.
import { type Browser, type BrowserContext, chromium, type LaunchOptions, type Page } from "playwright-core";
import { build } from "../../scripts/build.ts";
import { findTools } from "../../scripts/test/find-tools.ts";

const args = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** How a browser is started here; builds the page if its sources have changed. */
export async function browserSettings(): Promise<LaunchOptions> {
  await build();
  const executablePath = process.env.HANDRAIL_CHROMIUM ?? findTools().chromium;
  if (executablePath === undefined) throw new Error("No Chromium was found; `npm test` gets one.");
  return { executablePath, args };
}

/** A browser of its own; the suites of this folder share one (`fixture.ts`). */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch(await browserSettings());
}

export interface Phone {
  context: BrowserContext;
  page: Page;
  /** What the page threw or logged as an error; network failures aside. */
  errors: string[];
}

/**
 * A fresh profile at 390×844. `keyboard`: a desktop with a fine pointer instead. `lan`: as on plain http, where
 * browsers have no service workers. `userAgent`: what it says it is.
 */
export async function openPhone(
  browser: Browser,
  options: { keyboard?: boolean; lan?: boolean; userAgent?: string } = {},
): Promise<Phone> {
  const touch = options.keyboard !== true;
  const context = await browser.newContext({
    viewport: touch ? { width: 390, height: 844 } : { width: 1280, height: 800 },
    isMobile: touch,
    hasTouch: touch,
    reducedMotion: "reduce",
    serviceWorkers: options.lan === true ? "block" : "allow",
    ...(options.userAgent === undefined ? {} : { userAgent: options.userAgent }),
  });
  // A net below the test's own limit, so that what never comes is named; nothing that works takes this long.
  context.setDefaultTimeout(45_000);
  const errors: string[] = [];
  const page = await newTab(context, errors);
  return { context, page, errors };
}

export async function newTab(context: BrowserContext, errors: string[] = []): Promise<Page> {
  const page = await context.newPage();
  // What the browser itself rejects with has an empty stack.
  page.on("pageerror", ({ name, message, stack }) => errors.push(stack || `${name}: ${message}`));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      errors.push(message.text());
    }
  });
  return page;
}

/** Pairs by the link, as after scanning the code. */
export async function pair(page: Page, server: { url: string; token: string }): Promise<void> {
  await page.goto(`${server.url}/#pair=${server.token}`);
  await page.getByRole("button", { name: "New session" }).and(page.locator(":enabled")).waitFor();
}

export async function newSession(page: Page): Promise<void> {
  await page.getByRole("button", { name: "New session" }).click();
  await composer(page).and(page.locator(":enabled")).waitFor();
}

export function composer(page: Page) {
  return page.locator(".composer textarea");
}

/** Types and sends, as with a thumb. */
export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await page.getByRole("button", { name: "Send", exact: true }).click();
}

/** The words of the transcript, without times: what two runs share. */
export async function transcriptWords(page: Page): Promise<string> {
  return page.locator(".rows").evaluate((rows) => {
    const copy = rows.cloneNode(true);
    if (!(copy instanceof HTMLElement)) return "";
    for (const time of copy.querySelectorAll(".time")) time.remove();
    // Without layout, only this separates the words of neighbouring elements.
    const words: string[] = [];
    const walker = document.createTreeWalker(copy, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) words.push(walker.currentNode.textContent?.trim() ?? "");
    return words.filter(Boolean).join(" | ");
  });
}

/** Picks a mode from the sheet below the composer. */
export async function pickMode(page: Page, name: "Normal" | "Plan" | "Auto"): Promise<void> {
  await page.locator(".pill").click();
  const sheet = page.getByRole("dialog", { name: "Mode" });
  await sheet.getByRole("button", { name: new RegExp(`^${name}`) }).click();
  await sheet.waitFor({ state: "detached" });
}
