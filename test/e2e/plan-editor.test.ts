// The plan edited by touch at 320×568: step by step or as text. The person keeps or discards the changes
// deliberately.
// @module-tag long
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { FakeEdge } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { newSession, pair, say } from "./phone.ts";
import { answering, executing } from "./scenes.ts";
import { small } from "./touch-targets.ts";

const sheetOf = (page: Page) => page.getByRole("dialog", { name: "Edit the plan" });

async function editing(page: Page, edge: FakeEdge) {
  await page.setViewportSize({ width: 320, height: 568 });
  edge.play((body) => (body.input.type === "approve" ? executing(body) : answering(body)));
  await pair(page, edge);
  await newSession(page);
  await say(page, "/plan Limit each API token");
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  const sheet = sheetOf(page);
  await sheet.getByText("Add a step").waitFor();
  return { sheet, button: (name: string) => sheet.getByRole("button", { name, exact: true }) };
}

const lines = (page: Page) => sheetOf(page).locator(".edit-words").allTextContents();

test("steps are changed, moved, deleted, added and given checks, and the saved plan is what runs", async ({
  page,
  edge,
}) => {
  const { sheet, button } = await editing(page, edge);
  await sheet.locator(".edit-line", { hasText: "Use it in" }).click();
  await sheet.getByRole("textbox", { name: "Step 2" }).fill("Use it after verify()");
  expect(await small(page)).toEqual([]);
  await button("Move step 2 up").click();
  await button("Done").click();
  await sheet.locator(".edit-line", { hasText: "Answer 429" }).click();
  await button("Delete step 3").click();
  await sheet.getByText("Add a step").click();
  await sheet.getByRole("textbox", { name: "Step 4" }).fill("Tell the changelog");
  await sheet.getByLabel(/^Check/).fill("grep -q 429 CHANGELOG.md | wc -l");
  await sheet.getByLabel("If it fails").selectOption("skip");
  await button("Done").click();
  expect(await lines(page)).toEqual([
    "Limit per token beside the per-IP limit",
    "Use it after verify()",
    "Add TokenLimiter with a sliding window",
    "Document both limits in the README",
    "Tell the changelog",
  ]);
  await button("As text").click();
  expect(await sheet.getByLabel("Text of the plan").inputValue()).toContain(
    "1. [s2] Use it after verify()\n   - check: npm test auth\n2. [s1]",
  );
  await button("As steps").click();
  await button("Keep").click();
  await page.getByText("Plan · edited by you").waitFor();
  await page.locator(".page-head", { hasText: "Waiting for you: your edited plan" }).waitFor();
  // The list beside a session, as on a computer, says the same.
  await page.setViewportSize({ width: 1000, height: 700 });
  await page.locator(".session-line", { hasText: "Waiting for you: your edited plan" }).waitFor();
  await page.setViewportSize({ width: 320, height: 568 });
  await page.getByRole("button", { name: "Approve and run" }).click();
  await expect.poll(() => edge.posts.at(-1)?.input).toMatchObject({ type: "approve" });
  const { input } = edge.posts.at(-1) ?? {};
  expect(input).toHaveProperty(
    "planText",
    expect.stringContaining("[s5] Tell the changelog\n   - check: grep -q 429 CHANGELOG.md | wc -l"),
  );
});

test("Undo takes back one change at a time; the close and back buttons ask whether to keep a changed plan", async ({
  page,
  edge,
}) => {
  const { sheet, button } = await editing(page, edge);
  await sheet.locator(".edit-line", { hasText: "Document both" }).click();
  await button("Delete step 4").click();
  await sheet.locator(".edit-line", { hasText: "Answer 429" }).click();
  await sheet.getByRole("textbox", { name: "Step 3" }).fill("Answer 430");
  await button("Done").click();
  await button("Undo").click();
  await expect.poll(() => lines(page)).toContain("Answer 429 with Retry-After and the limit that was met");
  expect(await lines(page)).toHaveLength(4);
  await button("Close").click();
  await sheet.getByText("Keep your changes?").waitFor();
  await button("Discard").click();
  await sheet.waitFor({ state: "detached" });
  expect(await page.getByText("Plan · edited by you").count()).toBe(0);

  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await expect.poll(() => lines(page)).toHaveLength(5);
  await sheet.locator(".edit-line", { hasText: "Document both" }).click();
  await button("Delete step 4").click();
  await page.goBack();
  await sheet.getByText("Keep your changes?").waitFor();
  await button("Keep").click();
  await page.getByText("Plan · edited by you").waitFor();
});

test("Escape and the back button close the step being edited, and keep its text; then they ask about the plan", async ({
  page,
  edge,
}) => {
  const { sheet, button } = await editing(page, edge);
  const field = sheet.getByRole("textbox", { name: "Step 2" });
  const line = sheet.locator(".edit-line", { hasText: "Use it" });
  await line.click();
  await field.fill("Use it after verify()");
  await page.keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
  expect(await line.textContent()).toContain("Use it after verify()");
  expect(await line.evaluate((element) => element === document.activeElement)).toBe(true);
  await line.click();
  await field.waitFor();
  await page.goBack();
  await field.waitFor({ state: "detached" });
  expect(await sheet.getByText("Keep your changes?").count()).toBe(0);

  await sheet.getByText("Add a step").click();
  await page.keyboard.press("Escape");
  await expect.poll(() => lines(page)).toHaveLength(5);
  await page.keyboard.press("Escape");
  await sheet.getByText("Keep your changes?").waitFor();
  await button("Keep").click();
  await sheet.waitFor({ state: "detached" });
  await page.getByText("Plan · edited by you").waitFor();
});

test("a plan without steps left says what that means before it is saved", async ({ page, edge }) => {
  const { sheet } = await editing(page, edge);
  for (let left = 4; left > 0; left -= 1) {
    await sheet.locator(".edit-step .edit-line").first().click();
    await sheet.getByRole("button", { name: "Delete step 1" }).click();
  }
  await sheet.getByText("No steps are left: the plan runs in one piece, without checks").waitFor();
  await sheet.getByRole("button", { name: "Keep without steps" }).click();
  await page.locator(".card.plan").getByText("No steps: no checks, no undo points.").waitFor();
});

test("a plan longer than the screen opens at its goal", async ({ page, edge }) => {
  const { sheet } = await editing(page, edge);
  await sheet.getByRole("button", { name: "Close" }).click();
  await sheetOf(page).waitFor({ state: "detached" });
  const top = () =>
    page.evaluate(() => {
      const edge = document.querySelector(".transcript")?.getBoundingClientRect().top ?? 0;
      return (document.querySelector(".card.plan")?.getBoundingClientRect().top ?? 0) - edge;
    });
  await expect.poll(top).toBeGreaterThanOrEqual(0);
  await page.locator(".card.plan .checks > summary").first().click();
  await page.locator(".card.plan .command", { hasText: "npm test limiter" }).waitFor();
});

test("of a goal with an explanation, only its first line is shown until it is opened", async ({
  page,
  edge,
}) => {
  const { sheet, button } = await editing(page, edge);
  await sheet.locator(".edit-goal").click();
  await sheet.getByRole("textbox", { name: "Goal" }).fill("Limit per token\nThe limit per address stays");
  await button("Done").click();
  expect((await lines(page))[0]).toBe("Limit per token");
  await sheet.locator(".edit-goal").click();
  expect(await sheet.getByRole("textbox", { name: "Goal" }).inputValue()).toContain("stays");
});
