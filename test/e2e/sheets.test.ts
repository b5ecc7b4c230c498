// The sheets of plan, changes and files on the real product with its demo: the person's actions in them, and
// the results.
// @module-tag long
import type { Browser, Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import { gate } from "../harness/gate.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { test } from "./fixture.ts";
import { newSession, openPhone, pair, say } from "./phone.ts";

let browser: Browser;
let product: Product;

test.beforeAll(async ({ browser: shared }) => {
  browser = shared;
  product = await startProduct({ env: { HANDRAIL_DEMO_DELAY_MS: "1" } });
});
afterAll(async () => {
  await product?.close();
});

const sheetOf = (page: Page) => page.getByRole("dialog");

/** A session whose plan waits for approval, after one question. */
async function proposed(): Promise<{ page: Page; close(): Promise<void>; errors: string[] }> {
  const { page, context, errors } = await openPhone(browser);
  await pair(page, product);
  await newSession(page);
  await say(page, "/plan Limit each token to 100 requests a minute. Keep the per-IP limit.");
  await sheetOf(page).getByText("Fixed minute").click();
  await sheetOf(page).getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByRole("button", { name: "Approve and run" }).waitFor();
  return { page, errors, close: () => context.close() };
}

async function finished(page: Page): Promise<void> {
  await page.getByRole("heading", { name: "Finished" }).waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
}

async function openPlan(page: Page): Promise<void> {
  await page.getByRole("button", { name: "More about this session" }).click();
  await sheetOf(page).getByText("Plan · version").click();
  await sheetOf(page)
    .getByRole("heading", { name: /^Plan · version/ })
    .waitFor();
}

test("a plan: comments on a step reject it, changes come first, it is held, started, checked and undone", async () => {
  const { page, errors, close } = await proposed();
  const sheet = sheetOf(page);
  await page.getByRole("button", { name: "Whole plan" }).click();
  expect(await sheet.getByText("Changed since").count()).toBe(0);
  await sheet.getByRole("button", { name: "Comment on step 2" }).click();
  await sheet.getByRole("textbox", { name: "Comment on step 2" }).fill("Use a sliding window instead");
  await page.reload();
  await page.getByRole("button", { name: "Whole plan" }).click();
  await expect
    .poll(() => sheet.getByRole("textbox", { name: "Comment on step 2" }).inputValue())
    .toContain("sliding");
  await sheet.getByRole("button", { name: "Reject with 1 comment" }).click();
  await sheet.getByText("Step 2: Use a sliding window instead").waitFor();
  await sheet.getByRole("button", { name: "Reject and plan again" }).click();
  await page.locator(".card.plan", { hasText: "slidingWindow" }).waitFor();

  await page.getByRole("button", { name: "Whole plan" }).click();
  const first = sheet.locator(".plan-whole > *").first();
  await first.getByText("Changed since you last looked").waitFor();
  await first.getByText(/Step 1 changed: Add slidingWindow/).waitFor();
  await first.getByText("As text").click();
  await first.locator(".diff-line.added").first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Whole plan" }).click();
  await sheet.locator(".plan-steps").waitFor();
  await expect.poll(() => sheet.getByText("Changed since").count()).toBe(0);

  await sheet.getByRole("button", { name: "Other ways to approve" }).click();
  await sheet.getByText("Approve, but do not start").click();
  await page.getByText("Approved, not started.").waitFor();
  await openPlan(page);
  await sheet.getByText("approved, not started").waitFor();
  await sheet.getByRole("button", { name: "Start" }).click();
  await finished(page);

  await openPlan(page);
  await sheet.locator(".step-note.good", { hasText: "npm test passed" }).waitFor();
  await sheet.getByRole("button", { name: "Undo to before step 3" }).click();
  await sheet.getByText("2 files go back to what they were").waitFor();
  await sheet.getByText("Step 3 and those after it are open again.").waitFor();
  await sheet.getByRole("button", { name: "Undo to before step 3" }).click();
  await page
    .getByText(/You went back to before step 3/)
    .first()
    .waitFor();
  await page.goto(`${page.url()}/changes`);
  await page.getByText(/^2 files · /).waitFor();
  expect(errors).toEqual([]);
  await close();
});

test("changes: since a step, a comment on a line, a file and a hunk reverted and restored, a commit", async () => {
  const { page, errors, close } = await proposed();
  const sheet = sheetOf(page);
  await page.getByRole("button", { name: "Approve and run" }).click();
  await finished(page);
  await page.getByRole("button", { name: /^Changes \d files/ }).click();
  await page.getByText(/^3 files · /).waitFor();
  await page.getByText("Since step 4", { exact: true }).click();
  await page.getByText(/^1 file · .* since the step began/).waitFor();
  await page.getByText("All", { exact: true }).click();
  await page.getByText(/^3 files · /).waitFor();

  const answers = page.locator(".file", { hasText: "src/answers.js" });
  await answers.locator(".diff-line.added").first().click();
  await page.getByRole("textbox", { name: /Comment on line \d+ of src\/answers.js/ }).fill("Say why");
  await page.reload();
  await page.getByRole("button", { name: "Send 1 comment" }).waitFor();
  await answers.getByRole("button", { name: /^Revert: src/ }).click();
  await answers.getByRole("button", { name: /^Tap again/ }).click();
  await page.getByText("src/answers.js is as it was.").waitFor();
  await answers.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await answers.waitFor();

  const gateway = page.locator(".file", { hasText: "src/gateway.js" });
  const whole = await gateway.locator(".time").first().textContent();
  await gateway.getByRole("button", { name: /^Revert: part 1/ }).click();
  await gateway.getByRole("button", { name: /^Tap again/ }).click();
  await page.getByText("Part 1 of src/gateway.js is as it was.").waitFor();
  await gateway.getByRole("button", { name: /^Revert: part 1/ }).waitFor({ state: "detached" });
  await expect.poll(() => gateway.locator(".time").first().textContent()).not.toBe(whole);
  // When a file is marked as viewed, it folds, and its name stays on the screen with the focus.
  await gateway.getByRole("button", { name: /^Viewed/ }).click();
  await page.locator(".file:not([open]) > summary:focus", { hasText: "src/gateway.js" }).waitFor();

  await page.getByRole("button", { name: "Send 1 comment" }).click();
  const bubble = page.locator(".bubble").last();
  await bubble.getByText("A comment on your changes.").waitFor();
  await expect.poll(() => bubble.textContent()).toMatch(/src\/answers\.js, line \d+:.+\nSay why/s);
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });

  await page.goto(`${page.url()}/changes`);
  await page.getByRole("button", { name: "Commit", exact: true }).click();
  await sheet.getByText("Nothing is pushed.").waitFor();
  await sheet.getByRole("textbox", { name: "Message" }).fill("Limit tokens");
  await sheet.getByRole("button", { name: "On a branch of its own instead" }).click();
  await sheet.getByRole("checkbox").first().uncheck();
  await sheet.getByRole("button", { name: /^Commit \d+ files?$/ }).click();
  await sheet.getByText(/^Committed [0-9a-f]{7} on handrail\/.+ still uncommitted\.$/).waitFor();
  await sheet.getByRole("button", { name: "Done", exact: true }).click();
  await page.getByRole("button", { name: "Commit", exact: true }).click();
  // Of the requests for the changes since this commit, the count's is answered, and that of the page has to wait.
  const read = gate();
  const asked: string[] = [];
  await page.route(/\/sandboxes\/[^/]+\/changes\?/, async (route) => {
    const since = route.request().url();
    const isKnown = asked.includes(since);
    asked.push(since);
    if (isKnown && since !== asked[0]) await read.passed;
    await route.continue();
  });
  await sheet.getByRole("button", { name: /^Commit \d+ files?$/ }).click();
  await sheet.getByText(/^Committed [0-9a-f]{7} on handrail\//).waitFor();
  // A file that was read before the commit is not shown as changed since.
  await page.locator(".page-head", { hasText: "Reading…" }).waitFor();
  read.open();
  await sheet.getByRole("button", { name: "Done", exact: true }).click();
  await page.getByText(/^Committed [0-9a-f]{7} on handrail\/.* since$/).waitFor();
  expect(errors).toEqual([]);
  await close();
});

test("files: folders open in place, a file is read with line numbers and downloaded, as is everything", async () => {
  const { page, context, errors } = await openPhone(browser);
  await pair(page, product);
  await newSession(page);
  await say(page, "/files");
  await page.getByRole("button", { name: "src", exact: true }).click();
  await page.getByRole("button", { name: /^limiter\.js/ }).click();
  await page.locator(".code-lines .is-keyword", { hasText: "export" }).first().waitFor();
  expect(await page.locator(".code-lines .number").first().textContent()).toBe("1");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download", exact: true }).click(),
  ]);
  expect(file.suggestedFilename()).toBe("limiter.js");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^limiter\.js/ }).waitFor();
  const [archive] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download all" }).click(),
  ]);
  expect(archive.suggestedFilename()).toBe("sample-project.tar.gz");
  await page.keyboard.press("Escape");
  await page.locator(".composer").waitFor();
  expect(errors).toEqual([]);
  await context.close();
});
