// A plan of twelve steps, longer than the screen: its numbers, the place in the transcript after the approval, and its
// running check on the smallest screen.
// @module-tag long
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { test as plain } from "./fixture.ts";
import { pickMode, say } from "./phone.ts";

const steps = Array.from({ length: 12 }, (_, index) => ({
  description: `Order the paths that the menu lists by rule ${index + 1}, so that the file a person means comes first in every folder of a large repository`,
  actions: ["One score for each tier, so that no bonus of a lower tier lifts a path above a higher one"],
  checkpoint: {
    command: index === 3 ? "printf 'one\\ntwo\\nbegun\\n'; until [ -e go ]; do sleep 0.05; done" : "true",
  },
}));
const done = (id: string) => ({
  calls: [{ name: "update_plan", args: { steps: [{ id, status: "done", note: "as planned" }] } }],
});
const last = "The rule for step 5 has to be decided by you.";

const test = plain.extend("proposed", async ({ session: page, model }) => {
  model.play([
    { calls: [{ name: "set_plan", args: { goal: "Order of the menu", steps } }] },
    { calls: [{ name: "exit_plan", args: {} }] },
  ]);
  await pickMode(page, "Plan");
  await say(page, "Plan it");
  await page.getByRole("button", { name: "Approve and run" }).waitFor();
  return page;
});

const isInView = (page: Page, words: string) =>
  page.getByText(words).evaluate((element) => {
    const box = element.closest(".transcript")?.getBoundingClientRect();
    const { top, bottom } = element.getBoundingClientRect();
    return box !== undefined && top >= box.top && bottom <= box.bottom;
  });

/** How many pixels of the transcript are below its visible part; 1,000 if it has nothing to scroll. */
const below = (page: Page) =>
  page
    .locator(".transcript")
    .evaluate((box) =>
      box.scrollHeight > box.clientHeight ? box.scrollHeight - box.scrollTop - box.clientHeight : 1_000,
    );

test("each number of a step is on one line, and after the approval the transcript follows to the last words", async ({
  model,
  proposed: page,
}) => {
  const lines = await page.locator(".plan-steps .step-number").evaluateAll((all) =>
    all.map((number) => {
      const range = document.createRange();
      range.selectNodeContents(number);
      return range.getClientRects().length;
    }),
  );
  expect(lines).toEqual(steps.map(() => 1));

  model.play([done("s1"), done("s2"), done("s3"), done("s4")]);
  await page.getByRole("button", { name: "Approve and run" }).click();
  const check = page.locator(".is-checking", { hasText: "until" });
  await check.locator(".now-output", { hasText: "begun" }).waitFor();

  // With the smallest screen and large text, the command that runs stays in the card.
  await page.setViewportSize({ width: 320, height: 568 });
  await page.evaluate(() => document.documentElement.style.setProperty("font-size", "200%"));
  await expect
    .poll(() =>
      check.locator("summary").evaluate((row) => {
        const card = row.closest(".now-card")?.getBoundingClientRect();
        const { left, bottom } = row.getBoundingClientRect();
        return card !== undefined && left < card.right && bottom <= card.bottom;
      }),
    )
    .toBe(true);
  await page.evaluate(() => document.documentElement.style.removeProperty("font-size"));
  await page.setViewportSize({ width: 390, height: 844 });

  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("button", { name: "Go on" }).waitFor();
  await expect.poll(() => below(page)).toBeLessThan(60);
  model.play([{ text: "A question first." }, { text: last }]);
  await page.getByRole("button", { name: "Go on" }).click();
  await page.getByText(last).waitFor();
  await page.getByRole("button", { name: "Go on" }).waitFor();
  await expect.poll(() => isInView(page, last)).toBe(true);

  // With many steps to come, they are one line, so that those words are on the screen with large text too.
  await page.setViewportSize({ width: 320, height: 568 });
  await expect.poll(() => isInView(page, "8 steps to come")).toBe(true);
  await page.getByText("8 steps to come").click();
  await page.getByText(/^12 Order the paths/).waitFor();
});
