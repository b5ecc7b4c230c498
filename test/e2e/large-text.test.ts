// Text of twice the size, on the phones of 390×844 and 320×568: there is room to read, and nothing is cut off.
// @module-tag long
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import { hostGit, newHome } from "../sandbox/host-git.ts";
import { test as plain } from "./fixture.ts";
import { composer, newTab, pickMode, say } from "./phone.ts";

const base = mkdtempSync(join(tmpdir(), "handrail-large-"));
const folder = join(base, "served");
mkdirSync(folder);
const git = (...args: string[]) => hostGit(newHome(base), folder, ...args).trim();
git("init", "-q", "-b", "main");
git("commit", "-q", "--allow-empty", "-m", "First");
afterAll(() => rmSync(base, { recursive: true, force: true }));

const test = plain.override({ serverEnv: { HANDRAIL_WORKSPACE: folder } });

const done = (id: string) => ({
  name: "update_plan",
  args: { steps: [{ id, status: "done", note: "as planned" }] },
});

/** Calls `look` with text of twice the size, on each of the two phones. */
async function large(page: Page, look: (width: number, height: number) => Promise<void>): Promise<void> {
  const size = (fontSize: string) =>
    page.evaluate((text) => {
      document.documentElement.style.fontSize = text;
    }, fontSize);
  await size("200%");
  for (const [width, height] of [
    [390, 844],
    [320, 568],
  ] as const) {
    await page.setViewportSize({ width, height });
    await look(width, height);
  }
  await size("");
  await page.setViewportSize({ width: 390, height: 844 });
}

/** How many pixels of the words are hidden, and how many the element reaches beyond the screen. */
const hidden = (what: Locator) =>
  what.evaluate((element) => {
    const { right, left } = element.getBoundingClientRect();
    return {
      words: Math.max(
        0,
        element.scrollWidth - element.clientWidth,
        element.scrollHeight - element.clientHeight,
      ),
      beyond: Math.max(0, Math.ceil(right - innerWidth), Math.ceil(-left)),
    };
  });
const nothing = { words: 0, beyond: 0 };

test("while a failed step needs an answer, at least a third of the screen shows the transcript, and no branch is offered", async ({
  model,
  session: page,
}) => {
  const steps = [
    { description: "Limit each token", checkpoint: { command: "true" } },
    { description: "Write tests for the limit: one for each method", checkpoint: { command: "false" } },
    "Write the notes",
  ];
  model.play([
    { calls: [{ name: "set_plan", args: { goal: "Test and describe the limits of all tokens", steps } }] },
    { calls: [{ name: "exit_plan", args: {} }] },
  ]);
  await pickMode(page, "Plan");
  await say(page, "Plan it");
  await page.getByRole("button", { name: "Approve and run" }).waitFor();
  await page.getByRole("button", { name: "New branch…" }).waitFor();
  await large(page, async (width) => {
    expect.soft(await hidden(page.getByRole("button", { name: "New branch…" })), `${width}`).toEqual(nothing);
  });

  model.play([{ calls: [done("s1")] }, { text: "That is all for now." }]);
  await page.getByRole("button", { name: "Approve and run" }).click();
  const goOn = page.getByRole("button", { name: "Go on" });
  await goOn.waitFor();
  await large(page, async (width) => {
    expect.soft(await hidden(goOn), `Go on at ${width}`).toEqual(nothing);
    expect.soft(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  });

  model.play([{ calls: [done("s2")] }, { text: "The test fails." }]);
  await goOn.click();
  await page.getByRole("button", { name: "Skip" }).waitFor();
  expect.soft(await page.getByRole("button", { name: "New branch…" }).count()).toBe(0);
  await large(page, async (width, height) => {
    const { height: read = 0 } = (await page.locator(".transcript").boundingBox()) ?? {};
    expect.soft(read, `${width}`).toBeGreaterThan(height / 3);
    for (const name of ["Close plan", "Mark done", "Tell it…", "Skip", "Retry"])
      expect.soft(await hidden(page.getByRole("button", { name })), `${name} at ${width}`).toEqual(nothing);
  });

  // More than three starting points of the changes are all visible, and each button fills its row.
  await page.getByRole("button", { name: "Mark done" }).click();
  await page.locator(".card.finish").waitFor();
  const commit =
    "echo x > a.txt && git add -A && git -c user.name=A -c user.email=a@b.c commit -qm x && echo y >> a.txt";
  model.play([{ calls: [{ name: "run_command", args: { command: commit } }] }, { text: "Committed." }]);
  await say(page, "Commit it.");
  await page.locator(".stop-line", { hasText: /^Committed .* since$/ }).click();
  const choices = page.getByRole("radiogroup", { name: "Changes since" });
  await choices.locator("label").nth(3).waitFor();
  await large(page, async (width) => {
    for (const choice of await choices.locator("label").all())
      expect.soft(await hidden(choice), `${width}`).toEqual(nothing);
    expect.soft(await hidden(choices), `choices at ${width}`).toEqual(nothing);
    expect.soft(await unfilled(page), `bar at ${width}`).toBeLessThan(1);
  });
  await page.evaluate(() => {
    location.hash = "#/";
  });
  await page.getByRole("button", { name: "New session", exact: true }).waitFor();
  await large(page, async (width) => {
    expect.soft(await unfilled(page), `list at ${width}`).toBeLessThan(1);
    expect.soft(await hidden(page.getByRole("button", { name: "Settings" })), `${width}`).toEqual(nothing);
  });
});

/** The part of the bar's rows that no button fills, in pixels. */
const unfilled = (page: Page) =>
  page.locator(".bar > .actions").evaluate((actions) => {
    const ends = new Map<number, number>();
    for (const button of actions.children) {
      const { top, right } = button.getBoundingClientRect();
      ends.set(Math.round(top), Math.max(ends.get(Math.round(top)) ?? 0, right));
    }
    const { right } = actions.getBoundingClientRect();
    return Math.max(...[...ends.values()].map((end) => right - end));
  });

test("the sheet in which a command is denied shows all of its words", async ({ model, session: page }) => {
  model.play([{ calls: [{ name: "run_command", args: { command: "git push" } }] }, { text: "Understood." }]);
  await say(page, "Publish it");
  await page.getByRole("button", { name: "Deny…" }).click();
  const words = page.getByRole("dialog").getByText("The agent reads what you write here.");
  await large(page, async (width) => {
    expect.soft(await hidden(words), `${width}`).toEqual(nothing);
  });
});

test("while queued messages are read, the running command is on screen, on a phone held sideways too", async ({
  model,
  session: page,
}) => {
  model.play([
    { calls: [{ name: "run_command", args: { command: "echo one; echo two; echo beg''un; sleep 90" } }] },
  ]);
  await say(page, "Wait");
  await page.getByText("begun").first().waitFor();
  for (const text of ["Second: please also write the tests for the limits", "Third", "Fourth"])
    await say(page, text);
  await page.getByText("3 messages waiting").click();
  const running = page.locator(".now-calls > .is-running summary");
  const look = async (size: string) => {
    await expect.poll(() => cutOff(running), { message: `running at ${size}` }).toBe(0);
    await expect.poll(() => cutOff(composer(page)), { message: `composer at ${size}` }).toBe(0);
  };
  await large(page, (width) => look(`${width}`));
  await page.setViewportSize({ width: 844, height: 390 });
  await look("844, text of its own size");
  // The last line of output is in the card, too.
  const output = page.locator(".now-output");
  expect(await cutOff(output)).toBe(0);
  expect((await output.boundingBox())?.x).toBeLessThan(100);
  await page.evaluate(() => document.documentElement.style.setProperty("font-size", "200%"));
  await look("844, text of twice the size");
  await page.getByRole("button", { name: "Stop" }).click();
});

/** How many pixels of the element's height its scrolling parents or the screen cut off. */
const cutOff = (what: Locator) =>
  what.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    let [from, to] = [Math.max(top, 0), Math.min(bottom, innerHeight)];
    for (let outer = element.parentElement; outer !== null; outer = outer.parentElement) {
      if (getComputedStyle(outer).overflowY === "visible") continue;
      const box = outer.getBoundingClientRect();
      [from, to] = [Math.max(from, box.top), Math.min(to, box.bottom)];
    }
    return Math.round(bottom - top - Math.max(0, to - from));
  });

/** Whether a word of the text is broken across two lines. */
const isBroken = (text: Locator, word: string) =>
  text.evaluate((element, word) => {
    const node = element.firstChild;
    const at = node?.textContent?.indexOf(word) ?? -1;
    if (node === null || at < 0) return true;
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + word.length);
    return range.getClientRects().length !== 1;
  }, word);

test("two notices share one place above the composer, and the list breaks no word of a title", async ({
  model,
  session: page,
}) => {
  const command = `sleep 60 # ${"watch the tests of the limits ".repeat(15)}`;
  model.play([
    { calls: [{ name: "run_command", args: { command, background: true } }] },
    { text: "", hang: true },
  ]);
  await say(page, "A caught TimeoutError says which limit ran out");
  await page.getByRole("button", { name: "Keep it" }).click();
  await page.getByText("It continues after the turn.").waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
  const tab = await newTab(page.context());
  await tab.goto(page.url());
  await tab.getByText("It continues after the turn.").waitFor();
  await tab.getByText("This session is open in another tab.").waitFor();
  await large(tab, async (width, height) => {
    const { y = 0, height: bar = 0 } = (await tab.locator(".session > .bar").boundingBox()) ?? {};
    expect.soft(y + bar, `bar at ${width}`).toBeLessThanOrEqual(height);
    expect.soft(y, `transcript at ${width}`).toBeGreaterThan(height / 2);
  });
  await tab.close();
  await page.getByRole("button", { name: "Stop it" }).click();
  await page.getByRole("button", { name: "Back", exact: true }).click();
  const title = page.locator(".session-title", { hasText: "TimeoutError" });
  await title.waitFor();
  await large(page, async (width) => {
    expect.soft(await isBroken(title, "TimeoutError"), `title at ${width}`).toBe(false);
  });
});
