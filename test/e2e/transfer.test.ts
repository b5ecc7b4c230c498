// Sessions are exported from one browser and imported into another: files, older histories, and data that
// must not be overwritten.
// @module-tag long
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import { renderPlan } from "../../shared/plan/markdown.ts";
import { bodyOf } from "../../shared/plan/plan-body.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { Entry } from "../../shared/session/session-state.ts";
import { gate } from "../harness/gate.ts";
import { type FakeEdge, startFakeEdge } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { newSession, openPhone, pair, say, transcriptWords } from "./phone.ts";
import { savedDownload } from "./saved-download.ts";
import { answering, executing, planning } from "./scenes.ts";
import { turnsStored } from "./stored-history.ts";

let browser: Browser;
let edge: FakeEdge;
const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

test.beforeAll(async ({ browser: shared }) => {
  browser = shared;
  edge = await startFakeEdge();
  edge.play((body) => {
    if (body.input.type === "answers") return answering(body);
    return body.input.type === "approve" ? executing(body) : planning(body);
  });
});
afterAll(async () => {
  await edge?.close();
});

async function settings(page: Page): Promise<void> {
  await page.goto(`${edge.url}/#/settings`);
  await page.getByText("Import a file").waitFor();
}

async function importFile(page: Page, path: string, choice?: string): Promise<void> {
  await settings(page);
  await page.locator("input[type=file]").setInputFiles(path);
  if (choice !== undefined) await page.getByRole("dialog").getByText(choice).click();
}

async function exported(page: Page, button: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByText(button, { exact: true }).click(),
  ]);
  return savedDownload(download);
}

/**
 * The scenes' plans have a text of their own. The engine makes the text from the steps, and the app accepts
 * only that one.
 */
async function withPlansOfTheEngine(path: string): Promise<void> {
  const file = JSON.parse(await readFile(path, "utf8")) as {
    sessions: { head: { plan: Plan | null }; entries: Entry[] }[];
  };
  for (const { head, entries } of file.sessions) {
    const installed = entries.flatMap((entry) =>
      entry.event === "message" && entry.data.message.role === "plan" ? entry.data.message.extra.plan : [],
    );
    for (const plan of [head.plan, ...installed]) if (plan) plan.markdown = renderPlan(bodyOf(plan));
  }
  await writeFile(path, JSON.stringify(file));
}

test("everything of one browser opens in a fresh one unchanged, importing twice does nothing, and no secret is in the file", async () => {
  const one = await openPhone(browser);
  await pair(one.page, edge);
  await newSession(one.page);
  await say(one.page, "/plan Limit each token");
  await one.page.getByRole("dialog").waitFor();
  await one.page.keyboard.press("Escape");
  // The turn ends after its questions.
  await turnsStored(one.page);
  const words = await transcriptWords(one.page);
  await settings(one.page);
  await one.page.getByText("Dark", { exact: true }).click();
  const path = await exported(one.page, "Export everything");
  expect(await readFile(path, "utf8")).not.toContain(edge.token);
  await withPlansOfTheEngine(path);
  const two = await openPhone(browser);
  await pair(two.page, edge);
  await importFile(two.page, path, "Use its own workspace");
  await two.page.getByText("1 session added.").waitFor();
  expect(await two.page.locator("html").getAttribute("data-theme")).toBe("dark");
  await importFile(two.page, path, "Open without files");
  await two.page.getByText("1 session left alone: it is here already.").waitFor();
  await two.page.getByRole("button", { name: "Back" }).click();
  await two.page.locator(".session-line", { hasText: "Waiting for you: 2 questions" }).click();
  await two.page.getByRole("dialog").waitFor();
  await two.page.keyboard.press("Escape");
  await expect.poll(() => transcriptWords(two.page)).toBe(words);
  expect([...one.errors, ...two.errors]).toEqual([]);
  await one.context.close();
  await two.context.close();
});

test("a session is exported as Markdown with its messages, its plan and no anchors", async () => {
  const { page, context } = await openPhone(browser);
  await pair(page, edge);
  await newSession(page);
  await say(page, "/plan Limit each token");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await turnsStored(page);
  await page.getByRole("button", { name: "More about this session" }).click();
  await page.getByText("Export…").click();
  const text = await readFile(await exported(page, "To read, as Markdown"), "utf8");
  expect(text).toContain("# Limit per token beside the per-IP limit\n");
  expect(text).toContain("## You\n\nLimit each token");
  expect(text).toContain("1. [s1] Add `TokenLimiter` with a sliding window");
  expect(text).not.toContain("1abc|");
  await context.close();
});

test("a history with propose_plan shows the plan's text where its results hold it, else where it is stored", async () => {
  const { page, context, errors } = await openPhone(browser);
  await pair(page, edge);
  await importFile(page, fixture("propose-plan-history.json"), "Open without files");
  await page.getByText("1 session added.").waitFor();
  await page.getByRole("button", { name: "Back" }).click();
  await page.locator(".session-line", { hasText: "Rate limits, planned before" }).click();
  await page.getByText("Keep a sliding window for each token.").waitFor();
  await page.locator(".card.call", { hasText: "version 2" }).getByText("plans/limits.md").waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

test("a history too large for a request says at its import what can be done with it, and how to continue", {
  tags: "long",
}, async () => {
  const { page, context, errors } = await openPhone(browser);
  const folder = await mkdtemp(join(tmpdir(), "handrail-import-"));
  const file = join(folder, "large.json");
  const long = "All of this was said before. ".repeat(800);
  const turns = Array.from({ length: 400 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `${at} ${long}`,
  }));
  await writeFile(file, JSON.stringify({ title: "A long talk", messages: turns }));
  await pair(page, edge);
  await importFile(page, file, "Open without files");
  await page
    .getByRole("status")
    .getByText("1 session added. It is larger than a request may be (8 MB)")
    .waitFor();
  await page.getByRole("button", { name: "Back" }).click();
  await page.locator(".session-line", { hasText: "A long talk" }).click();
  await page.getByText("399 All of this was said before.").waitFor();
  await page.getByRole("button", { name: "More about this session" }).click();
  const storageAnswers = (answers: boolean) =>
    page.evaluate((kept) => {
      const database = IDBDatabase.prototype as IDBDatabase & { real?: IDBDatabase["transaction"] };
      database.real ??= database.transaction;
      database.transaction = kept
        ? database.real
        : () => {
            throw new DOMException("Storage is gone.");
          };
    }, answers);
  await storageAnswers(false);
  await page.getByText("Duplicate…").click();
  await page.getByRole("alert").getByText("The messages could not be read. Storage is gone.").waitFor();
  await storageAnswers(true);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "More about this session" }).click();
  await page.getByText("Duplicate…").click();
  await page.getByRole("dialog").getByText("Earlier messages").click();
  await page.locator(".choice", { hasText: "349 All of this" }).click();
  await page.getByText("A long talk (copy)").first().waitFor();
  expect(errors).toEqual([]);
  await context.close();
  await rm(folder, { recursive: true });
});

test("a button in Settings does not move when the server reports late what it stores", async ({ page }) => {
  await pair(page, edge);
  await newSession(page);
  const late = gate();
  const stateFolder = { usedBytes: 3_000_000, budgetBytes: 0 };
  await page.route(/\/api\/sandboxes\/sb\d+$/, async (route) => {
    await late.passed;
    await route.fulfill({ json: { ...(await (await route.fetch()).json()), stateFolder } });
  });
  await settings(page);
  await page.getByText("MB used", { exact: false }).waitFor();
  const button = page.getByRole("button", { name: "Export everything" });
  await button.scrollIntoViewIfNeeded();
  const before = await button.boundingBox();
  late.open();
  await page.getByText("On your server: 3", { exact: false }).waitFor();
  expect(await button.boundingBox()).toEqual(before);
});

test("a file without a session changes nothing and says so", async () => {
  const { page, context } = await openPhone(browser);
  await pair(page, edge);
  await importFile(page, fixture("../e2e/transfer.test.ts"));
  await page.getByRole("alert").getByText("This file is not JSON.").waitFor();
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByText("No sessions yet").waitFor();
  await context.close();
});
