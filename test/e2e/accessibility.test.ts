// Every screen before axe, in both themes: names, roles, contrast, sizes of what can be touched.
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { type FakeEdge, startFakeEdge } from "./fake-edge.ts";
import { launchBrowser, newSession, openPhone, pair, say } from "./phone.ts";
import { answering, executing, planning, wholeDiff } from "./scenes.ts";

let browser: Browser;
let edge: FakeEdge;
const Violations = z.array(
  z.object({
    id: z.string(),
    nodes: z.array(z.object({ html: z.string(), failureSummary: z.optional(z.string()) })),
  }),
);

beforeAll(async () => {
  browser = await launchBrowser();
  edge = await startFakeEdge();
  edge.diff(wholeDiff);
  edge.play((body) => {
    if (body.input.type === "answers") return answering(body);
    return body.input.type === "approve" ? executing(body) : planning(body);
  });
});
afterAll(async () => {
  await browser?.close();
  await edge?.close();
});

/** What axe finds, one line each; the page's own policy stays as it is. */
async function problems(page: Page): Promise<string[]> {
  const found = await page.evaluate(
    `${axe.source}; axe.run(document, { resultTypes: ["violations"] }).then((result) => result.violations)`,
  );
  return z
    .parse(Violations, found)
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`),
    );
}

/** Buttons and fields that a thumb can miss: less than 44 px high or wide, with what stands around them. */
async function small(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const boxes = [
      ...document.querySelectorAll<HTMLElement>(
        "button, a, textarea, input:not([type=radio], [type=checkbox]), .option",
      ),
    ];
    return boxes
      .filter((element) => element.checkVisibility() && element.closest(".markdown, .looked-at") === null)
      .filter((element) => {
        const { width, height } = element.getBoundingClientRect();
        const around = getComputedStyle(element, "::before");
        const more = around.content === "none" ? 0 : -2 * Number.parseFloat(around.top || "0");
        const wider = around.content === "none" ? 0 : -2 * Number.parseFloat(around.left || "0");
        return width > 0 && (height + Math.max(0, more) < 43.5 || width + Math.max(0, wider) < 43.5);
      })
      .map(
        (element) => `${element.outerHTML.slice(0, 100)} ${JSON.stringify(element.getBoundingClientRect())}`,
      );
  });
}

describe.each(["light", "dark"] as const)("in the %s theme", (colorScheme) => {
  test("no screen of a day has a problem", async () => {
    const { page, context } = await openPhone(browser);
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const check = async (screen: string) => {
      expect.soft(await problems(page), screen).toEqual([]);
      expect.soft(await small(page), `${screen}, sizes`).toEqual([]);
    };
    await page.goto(edge.url);
    await page.getByText("Pair this device").waitFor();
    await check("pair");
    await pair(page, edge);
    await check("no sessions");
    await newSession(page);
    await check("new session");
    await say(page, "/plan Limit each API token");
    const sheet = page.getByRole("dialog");
    await sheet.getByText("Sliding window").click();
    await check("question");
    await sheet.getByRole("button", { name: "Next" }).click();
    await sheet.getByText("None of these").click();
    await sheet.getByRole("textbox", { name: "Your answer" }).fill("418 please");
    await check("own answer");
    await sheet.getByRole("button", { name: "Next" }).click();
    await check("review");
    await sheet.getByRole("button", { name: "Answer", exact: true }).click();
    await page.getByRole("button", { name: "Approve and run" }).waitFor();
    await check("proposal");
    for (const name of ["Reject", "Edit", "Other ways to approve", "Whole plan"]) {
      await page.getByRole("button", { name, exact: true }).click();
      await sheet.waitFor();
      await check(name);
      await page.keyboard.press("Escape");
      await sheet.waitFor({ state: "detached" });
    }
    await page.getByRole("button", { name: "Approve and run" }).click();
    await page.getByRole("heading", { name: "Finished" }).waitFor();
    await check("done");
    await page.getByRole("button", { name: "Go to a place" }).click();
    await check("places");
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await say(page, "/help");
    await check("commands");
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "More about this message" }).first().click();
    await check("a message's acts");
    await page
      .getByLabel("Attach files")
      .setInputFiles([{ name: "notes.md", mimeType: "text/markdown", buffer: Buffer.from("x") }]);
    await page.getByRole("button", { name: "Remove notes.md" }).waitFor();
    await check("attached");
    await page.getByRole("button", { name: "More about this session" }).click();
    await check("menu");
    await sheet.getByText("Changes", { exact: true }).click();
    await page.locator(".diff-line").first().waitFor();
    await check("changes");
    await page.goto(`${edge.url}/#/settings`);
    await page.getByRole("heading", { name: "Sandbox" }).waitFor();
    await check("settings");
    await page.goto(`${edge.url}/#/`);
    await page.locator(".session-line").waitFor();
    await check("sessions");
    await context.close();
  });
});

test("nothing is wider than a screen of 320 px", async () => {
  const { page, context } = await openPhone(browser);
  await page.setViewportSize({ width: 320, height: 568 });
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
  const width = () =>
    page.evaluate(() =>
      Math.max(document.documentElement.scrollWidth, document.querySelector(".transcript")?.scrollWidth ?? 0),
    );
  expect(await width()).toBeLessThanOrEqual(320);
  const bar = await page.locator("footer.bar").boundingBox();
  expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeLessThanOrEqual(568.5);
  expect(bar?.height).toBeLessThan(568 / 3);
  const cut = await page
    .locator("footer .button")
    .evaluateAll((buttons) => buttons.filter((each) => each.scrollWidth > each.clientWidth).length);
  expect(cut).toBe(0);
  const caret = await page.getByRole("button", { name: "Other ways to approve" }).boundingBox();
  expect((caret?.x ?? 0) + (caret?.width ?? 0)).toBeLessThanOrEqual(304.5);
  await context.close();
});
