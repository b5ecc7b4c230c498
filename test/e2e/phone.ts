// A phone in Chromium: the app is opened with a phone's screen size and pointer.
import { type Browser, type BrowserContext, chromium, type LaunchOptions, type Page } from "playwright-core";
import { build } from "../../scripts/build.ts";
import { findHeadlessShell, findTools } from "../../scripts/test/find-tools.ts";

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

/**
 * The settings with which a browser is started here. It builds the page first if its sources have changed.
 */
export async function browserSettings(): Promise<LaunchOptions> {
  await build();
  const executablePath = process.env.HANDRAIL_CHROMIUM ?? findTools().chromium;
  if (executablePath === undefined) throw new Error("No Chromium was found; `npm test` gets one.");
  return { executablePath, args };
}

/** The same for Chromium's headless shell, where there is one: its pages cost half as much. */
export async function shellSettings(): Promise<LaunchOptions> {
  const settings = await browserSettings();
  const executablePath = findHeadlessShell();
  return executablePath === undefined ? settings : { ...settings, executablePath };
}

/** A browser for one test alone; the suites of this folder share another one (`fixture.ts`). */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch(await browserSettings());
}

export interface Phone {
  context: BrowserContext;
  page: Page;
  /** Errors that the page threw or logged, except for network failures. */
  errors: string[];
}

/**
 * A fresh profile at 390×844. `keyboard`: a desktop with a fine pointer instead. `userAgent`: the browser's name for
 * itself. `serviceWorker`: the app may install its own. That takes about as long as opening the app, so only the suites that
 * update, reload, go offline or notify ask for it.
 */
export async function openPhone(
  browser: Browser,
  options: { keyboard?: boolean; userAgent?: string; serviceWorker?: boolean } = {},
): Promise<Phone> {
  const touch = options.keyboard !== true;
  const context = await browser.newContext({
    viewport: touch ? { width: 390, height: 844 } : { width: 1280, height: 800 },
    isMobile: touch,
    hasTouch: touch,
    reducedMotion: "reduce",
    serviceWorkers: options.serviceWorker === true ? "allow" : "block",
    ...(options.userAgent === undefined ? {} : { userAgent: options.userAgent }),
  });
  // This limit is below the test's own, so that the error names the element that never came. Working steps
  // are much faster.
  context.setDefaultTimeout(45_000);
  const errors: string[] = [];
  const page = await newTab(context, errors);
  return { context, page, errors };
}

/**
 * What Chromium itself logs: failed requests, and a look for a new service worker that a reload or the end of the test
 * interrupts.
 */
const notOurs = ["Failed to load resource", "An unknown error occurred when fetching the script."];

export async function newTab(context: BrowserContext, errors: string[] = []): Promise<Page> {
  const page = await context.newPage();
  // Errors with which the browser itself rejects have an empty stack.
  page.on("pageerror", ({ name, message, stack }) => errors.push(stack || `${name}: ${message}`));
  page.on("console", (message) => {
    const text = message.text();
    if (message.type() === "error" && !notOurs.some((start) => text.startsWith(start))) errors.push(text);
  });
  return page;
}

/** Pairs with the link that the code contains. */
export async function pair(page: Page, server: { url: string; token: string }): Promise<void> {
  await page.goto(`${server.url}/#pair=${server.token}`);
  await page
    .getByRole("button", { name: "New session", exact: true })
    .and(page.locator(":enabled"))
    .waitFor();
}

/** Makes a session, and waits until it replaces the one that was open: beside the list, that one has a composer too. */
export async function newSession(page: Page): Promise<void> {
  const before = page.url();
  await page.getByRole("button", { name: "New session", exact: true }).click();
  await page.waitForURL((url) => url.href !== before);
  await composer(page).and(page.locator(":enabled")).waitFor();
}

export function composer(page: Page) {
  return page.locator(".composer textarea");
}

/** Types the text and sends it with the button. */
export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await page.getByRole("button", { name: "Send", exact: true }).click();
}

/** The words of the transcript without times, so that two runs can be compared. */
export async function transcriptWords(page: Page): Promise<string> {
  return page.locator(".rows").evaluate((rows) => {
    const copy = rows.cloneNode(true);
    if (!(copy instanceof HTMLElement)) return "";
    for (const time of copy.querySelectorAll(".time")) time.remove();
    // Without a layout, only this separates the words of neighbouring elements.
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

/** Opens a session of the server that this device does not have. */
export async function openFromServer(page: Page, name: string): Promise<void> {
  await page.locator(".server-line", { hasText: name }).click();
  await page.locator(".rows").waitFor();
}
