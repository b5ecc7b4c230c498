// The focus after a tapped element disappears, and when a question opens without a tap; on a desktop and on a
// phone.
// @module-tag long
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import { hostGit, newHome } from "../sandbox/host-git.ts";
import { test as plain } from "./fixture.ts";
import { composer, newSession, newTab, openPhone, pair, pickMode, say } from "./phone.ts";

const base = mkdtempSync(join(tmpdir(), "handrail-focus-"));
const folder = join(base, "served");
mkdirSync(folder);
const git = (...args: string[]) => hostGit(newHome(base), folder, ...args);
git("init", "-q", "-b", "main");
writeFileSync(join(folder, "note.txt"), "one\n");
git("add", ".");
git("commit", "-qm", "First");
afterAll(() => rmSync(base, { recursive: true, force: true }));

const test = plain.override({ serverEnv: { HANDRAIL_WORKSPACE: folder } });

const focused = (page: Page) =>
  page.evaluate(
    () => `${document.activeElement?.tagName} ${document.activeElement?.getAttribute("aria-label")}`,
  );

test("Stay there, which disappears when it is used, moves the focus to the composer, and is not asked again", async ({
  browser,
  product,
}) => {
  const { page, context } = await openPhone(browser, { keyboard: true });
  await pair(page, product);
  await newSession(page);
  const stay = page.getByRole("button", { name: "Stay there" });
  await stay.focus();
  await page.keyboard.press("Enter");
  await stay.waitFor({ state: "detached" });
  await expect.poll(() => composer(page).evaluate((field) => field === document.activeElement)).toBe(true);
  await page.reload();
  await composer(page).and(page.locator(":enabled")).waitFor();
  await page.locator(".head-branch", { hasText: "main" }).waitFor();
  expect(await stay.count()).toBe(0);
  await context.close();
});

const name = { id: "name", label: "Name", prompt: "Which name?", type: "free_text" };
const asks = { text: "", calls: [{ name: "ask_user", args: { questions: [name] } }] };

test("a free-text question focuses its answer field, when it opens by itself and when it is opened again", async ({
  browser,
  product,
  model,
}) => {
  const { page, context } = await openPhone(browser, { keyboard: true });
  model.play([asks, asks]);
  await pair(page, product);
  await newSession(page);
  await pickMode(page, "Plan");
  await composer(page).fill("Plan it");
  await page.keyboard.press("Enter");
  // A person who continues to type is not interrupted: the sheet opens without a tap only while the composer
  // has no focus.
  await composer(page).blur();
  const field = page.getByRole("dialog").getByRole("textbox", { name: "Your answer" });
  await field.waitFor();
  await expect.poll(() => focused(page)).toBe("TEXTAREA Your answer");
  await page.keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Answer 1 question" }).click();
  await field.waitFor();
  await expect.poll(() => focused(page)).toBe("TEXTAREA Your answer");
  await context.close();
});

test("Allow, which disappears when it is used, moves the focus to the composer", async ({
  browser,
  product,
  model,
}) => {
  const { page, context } = await openPhone(browser, { keyboard: true });
  const push = { name: "run_command", args: { command: "git commit -m 'Add `x`' && git push origin main" } };
  model.play([{ text: "", calls: [push] }, { text: "Not pushed." }]);
  await pair(page, product);
  await newSession(page);
  await composer(page).fill("Push it");
  await page.keyboard.press("Enter");
  const allow = page.getByRole("button", { name: "Allow once" }).and(page.locator(":not([inert] *)"));
  await allow.waitFor();
  await allow.focus();
  await page.keyboard.press("Enter");
  await page.getByText("Not pushed.").waitFor();
  await expect.poll(() => composer(page).evaluate((field) => field === document.activeElement)).toBe(true);
  // Sentences about a command show it as code, even if it contains backticks.
  await page.locator(".note code", { hasText: "git commit -m 'Add `x`'" }).waitFor();
  await context.close();
});

test("a session that is taken over by keyboard from another tab moves the focus to the composer", async ({
  browser,
  product,
  model,
}) => {
  const { page, context } = await openPhone(browser, { keyboard: true });
  model.play([{ text: "Hello." }]);
  await pair(page, product);
  await newSession(page);
  await say(page, "Hello");
  await page.getByText("Hello.").waitFor();
  const second = await newTab(context);
  await second.goto(page.url());
  await second.getByRole("button", { name: "Use it here" }).focus();
  await second.keyboard.press("Enter");
  await expect.poll(() => composer(second).evaluate((field) => field === document.activeElement)).toBe(true);
  await context.close();
});
