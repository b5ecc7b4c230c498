// The phone and the real product are disturbed in the middle of a turn. In the end, the screen and the
// storage have the same content as without the disturbance.
// @module-tag long
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeEach, expect } from "vitest";
import { type ModelServer, type RequestBody, startModelServer } from "../fakes/model-server.ts";
import { gate } from "../harness/gate.ts";
import { descendantsOf } from "../harness/processes.ts";
import { lastingPort, type Product, startProduct } from "../harness/product.ts";
import { test } from "./fixture.ts";
import { newSession, newTab, openPhone, type Phone, pair, say, transcriptWords } from "./phone.ts";
import { storedHistory, turnsStored } from "./stored-history.ts";

test.override({ serviceWorker: true });

let browser: Browser;
let model: ModelServer;
let stateDir: string;
let port: string;
let product: Product;
let phone: Phone;
let page: Page;
/** The transcript of an undisturbed run; `stored`: its stored history. */
let seen: string;
let stored: unknown;

const start = () =>
  startProduct({
    env: {
      PORT: port,
      HANDRAIL_STATE: stateDir,
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: "test-key",
      HANDRAIL_MODEL: "scripted",
    },
  });

test.beforeAll(async ({ browser: shared }) => {
  browser = shared;
  model = await startModelServer([{ text: "" }]);
  stateDir = await mkdtemp(join(tmpdir(), "handrail-e2e-"));
  port = await lastingPort();
  product = await start();
  phone = await openPhone(browser, { serviceWorker: true });
  page = phone.page;
  await pair(page, product);
  const { open } = work();
  open();
  await begin();
  await ended();
  await turnsStored(page);
  seen = await transcriptWords(page);
  stored = await storedHistory(page);
  await phone.context.close();
});
afterAll(async () => {
  await product?.close();
  await model?.close();
  await rm(stateDir, { recursive: true, force: true });
});
beforeEach(async () => {
  phone = await openPhone(browser, { serviceWorker: true });
  page = phone.page;
  await pair(page, product);
});
afterEach(() => phone.context.close());

/**
 * The model appends to a file, writes another one, looks, and reports. Its third answer waits for `open`, its
 * last one for `last`. `reached` resolves when the third answer is requested.
 */
function work({ last }: { last?: Promise<void> } = {}) {
  const { passed, open } = gate();
  const { passed: reached, open: reach } = gate();
  model.play(async (body) => {
    const results = resultsSince(body);
    if (results === 2) {
      reach();
      await passed;
    }
    switch (results) {
      case 0:
        return { calls: [{ name: "run_command", args: { command: "echo one >> log.txt; echo appended" } }] };
      case 1:
        return { calls: [{ name: "write_file", args: { path: "note.txt", base: null, content: "a\nb\n" } }] };
      case 2:
        return { text: "Looking. ", calls: [{ name: "run_command", args: { command: "wc -l < log.txt" } }] };
      default:
        await last;
        return { text: "All is done: one line in the log, and a note.", deltaChars: 3 };
    }
  });
  return { open, reached };
}

function resultsSince(body: RequestBody): number {
  const last = body.messages.findLastIndex(({ role }) => role === "user");
  return body.messages.slice(last).filter(({ role }) => role === "tool").length;
}

async function begin(): Promise<void> {
  await newSession(page);
  await say(page, "Append and note");
}

async function ended(at = page): Promise<void> {
  await at.getByText("All is done").waitFor();
  await at.locator(".actions", { hasText: "Stop" }).waitFor({ state: "detached" });
  await at.locator(".stop-line", { hasText: /^Changes \d/ }).waitFor();
}

async function expectUndisturbed(at = page): Promise<void> {
  await ended(at);
  await expect.poll(() => transcriptWords(at)).toBe(seen);
  await expect.poll(() => storedHistory(at)).toEqual(stored);
}

const inHeader = (words: string) => page.locator(".page-head").getByText(words);

test("the network is lost in mid-turn, and comes back after the turn has ended", async () => {
  const { open, reached } = work();
  await begin();
  await reached;
  await inHeader("Live").waitFor();
  // The results of the first command and of the file have arrived.
  await page.locator(".card.call:not(.running)", { hasText: "note.txt" }).waitFor();
  await phone.context.setOffline(true);
  await inHeader("Offline").waitFor();
  const asked = model.requests.length;
  open();
  await model.request(asked + 1);
  await phone.context.setOffline(false);
  await inHeader("Caught up · 1 command finished").waitFor();
  await expectUndisturbed();
  expect(phone.errors).toEqual([]);
});

test("the network is lost again while the missed part is announced: the announcement stays", async () => {
  const { passed: last, open: end } = gate();
  const { open, reached } = work({ last });
  await begin();
  await reached;
  await page.locator(".card.call:not(.running)", { hasText: "note.txt" }).waitFor();
  const asked = model.requests.length;
  for (const back of [() => open(), () => {}]) {
    await phone.context.setOffline(true);
    await inHeader("Offline").waitFor();
    back();
    await model.request(asked + 1);
    await phone.context.setOffline(false);
    await inHeader("Caught up · 1 command finished").waitFor();
  }
  end();
  await expectUndisturbed();
});

test("the tab is frozen in mid-turn, and wakes up after the turn has ended", { tags: "long" }, async () => {
  const { open, reached } = work();
  await begin();
  await reached;
  const browserSide = await phone.context.newCDPSession(page);
  await browserSide.send("Page.setWebLifecycleState", { state: "frozen" });
  const asked = model.requests.length;
  open();
  await model.request(asked + 1);
  await browserSide.send("Page.setWebLifecycleState", { state: "active" });
  await expectUndisturbed();
});

test("the page is killed in mid-turn, and the app is opened again", async () => {
  const { open, reached } = work();
  await begin();
  await reached;
  const url = page.url();
  const browserSide = await phone.context.newCDPSession(page);
  void browserSide.send("Page.crash").catch(() => undefined);
  await page.waitForEvent("crash");
  await page.close();
  open();
  page = await newTab(phone.context);
  await page.goto(url);
  await expectUndisturbed();
});

test("the server is killed in the middle of an answer, and started again", async () => {
  const { open, reached } = work();
  await begin();
  await reached;
  await product.kill("SIGKILL");
  await page
    .getByText(/Reconnecting|No answer/)
    .first()
    .waitFor();
  open();
  product = await start();
  await expectUndisturbed();
});

test("Send is tapped twice", async () => {
  const { open } = work();
  open();
  await newSession(page);
  await page.locator(".composer textarea").fill("Append and note");
  await page.getByRole("button", { name: "Send" }).dblclick();
  await expectUndisturbed();
});

test("a second tab follows live, and finishes the turn when the first one is closed", async () => {
  const { open, reached } = work();
  await begin();
  await reached;
  const second = await newTab(phone.context);
  await second.goto(page.url());
  await second.getByText("Here you can only read along").waitFor();
  await page.close();
  open();
  await expectUndisturbed(second);
});

test("two tabs show the same to the end", { tags: "long" }, async () => {
  const { open, reached } = work();
  await begin();
  await reached;
  const second = await newTab(phone.context);
  await second.goto(page.url());
  await second.getByText("Here you can only read along").waitFor();
  open();
  await expectUndisturbed();
  await second.getByText("All is done").waitFor();
  await expect.poll(() => transcriptWords(second)).toBe(seen);
});

test("a command that may have run is a card with what is known, and can be checked, run again or marked as done", async () => {
  const command = "echo began; echo half > half.txt; sleep 60";
  model.play((body) =>
    body.messages.some(({ role }) => role === "tool")
      ? { text: "Going on." }
      : { calls: [{ name: "run_command", args: { command } }] },
  );
  await newSession(page);
  await say(page, "Try it");
  await page.locator(".now-output", { hasText: "began" }).waitFor();
  // Kills the sandbox server itself, so that it cannot record the end of the command.
  for (const { pid, command: line } of descendantsOf(product.pid)) {
    if (line.includes("sandbox.mjs")) process.kill(pid, "SIGKILL");
  }
  await product.kill("SIGKILL");
  product = await start();
  const card = page.locator(".card.permission");
  await card.getByText("This may have run already").waitFor();
  const header = page.locator(".page-head");
  await expect.poll(() => header.textContent()).toContain(`Needs you: ${command} may have run`);
  await expect.poll(() => card.textContent()).toContain("sleep 60");
  await card.getByText("What it printed before:").waitFor();
  await card.getByText("Changed since the session began:").waitFor();
  await card.getByText("half.txt").first().waitFor();
  await page.getByRole("button", { name: "Check", exact: true }).click();
  const sheet = page.getByRole("dialog", { name: "Did it run?" });
  await sheet.locator(".diff-line.added", { hasText: "half" }).waitFor();
  await page.keyboard.press("Escape");
  await sheet.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Run again", exact: true }).waitFor();
  await page.getByRole("button", { name: "Mark as done" }).click();
  await page.getByText("Going on.").waitFor();
  await page.getByText("You marked").waitFor();
  await expect.poll(() => card.count()).toBe(0);
  await page.getByText("What it printed before:").waitFor();
});
