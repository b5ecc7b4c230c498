// The ways to approve a plan, on the phone with the real edge and sandbox: with comments on its parts, and
// with a clean context.
// @module-tag long
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { ModelServer } from "../fakes/model-server.ts";
import { test as plain } from "./fixture.ts";
import { pickMode, say } from "./phone.ts";

const counted = (from: number) => ({
  calls: [{ name: "run_command", args: { command: `seq ${from} ${from + 5_000}` } }],
});

/** A plan of two steps waits for approval. The model read some 15,000 tokens to make it. */
const test = plain.extend("proposed", async ({ session: page, model }) => {
  const steps = ["Limit each token", "Write the notes"];
  model.play([
    ...[10_000, 20_000, 30_000].map(counted),
    {
      calls: [{ name: "set_plan", args: { goal: "Limit tokens\nBeside the limit for each address", steps } }],
    },
    { calls: [{ name: "exit_plan", args: {} }] },
  ]);
  await pickMode(page, "Plan");
  await say(page, "Plan it");
  await page.getByRole("button", { name: "Approve and run" }).waitFor();
  return page;
});

/** The text of all messages in the newest request. */
const said = (model: ModelServer) => JSON.stringify(model.requests.at(-1)?.body.messages);

const sheet = (page: Page) => page.getByRole("dialog");

test("comments on a step and on selected text are sent with the approval, and are shown before", {
  tags: "long",
}, async ({ model, proposed: page }) => {
  await page.getByRole("button", { name: "Whole plan" }).click();
  expect(await sheet(page).locator(".goal").textContent()).toBe("Limit tokens");
  await sheet(page).getByText("Beside the limit for each address", { exact: true }).waitFor();
  await sheet(page).getByRole("button", { name: "Comment on step 2" }).click();
  await sheet(page).getByRole("textbox", { name: "Comment on step 2" }).fill("In British English");
  await sheet(page)
    .locator(".goal")
    .evaluate((goal) => document.getSelection()?.selectAllChildren(goal));
  await sheet(page).getByRole("button", { name: "Comment on “Limit tokens" }).click();
  await page.keyboard.type("A hundred a minute");
  await sheet(page).locator("h2").first().click();
  await sheet(page).getByRole("heading", { name: "Your comments on the text" }).waitFor();
  await sheet(page).getByRole("button", { name: "Approve…" }).click();
  await sheet(page).getByText("Step 2: In British English").waitFor();
  await sheet(page).getByText("A hundred a minute").waitFor();
  model.play([{ text: "Working." }, { text: "Still." }]);
  await sheet(page).getByText("Run it", { exact: true }).click();
  await page.getByText("Working.").waitFor();
  expect(said(model)).toContain("On step 2 (s2): In British English");
  expect(said(model)).toMatch(/On “Limit tokens[^”]*”: A hundred a minute/);
});

test("a plan starts fresh on a tap: the saving is shown before and after, and what was read is not sent", async ({
  model,
  proposed: page,
}) => {
  expect(said(model)).toContain("20001");
  const offer = page.getByRole("button", { name: "Approve and start fresh" });
  expect(await offer.textContent()).toMatch(/\d+k → \dk tokens a request/);
  model.play([{ text: "Working." }, { text: "Still." }]);
  await offer.click();
  await page.getByText(/^Started fresh: \d+k → \dk tokens a request/).waitFor();
  await page.getByText("Working.").waitFor();
  expect(said(model)).not.toContain("20001");
  expect(said(model)).toContain("Limit each token");
});

test("on the smallest screen and with 200 % text, a fresh start is offered in the menu beside the button", {
  tags: "long",
}, async ({ proposed: page }) => {
  await page.setViewportSize({ width: 320, height: 568 });
  for (const size of ["100%", "200%"]) {
    await page.evaluate((fontSize) => (document.documentElement.style.fontSize = fontSize), size);
    await page.getByRole("button", { name: "Other ways to approve" }).click();
    const way = sheet(page).getByRole("button", { name: /^Start fresh/ });
    await way.click({ trial: true });
    expect(await way.textContent()).toMatch(/\d+k → \dk tokens a request/);
    expect(await way.evaluate((button) => button.scrollWidth - button.clientWidth)).toBe(0);
    await page.keyboard.press("Escape");
    await sheet(page).waitFor({ state: "detached" });
  }
});

test("an answer is taken as the plan without asking the model, and the plan is saved in the repository", {
  tags: "long",
}, async ({ model, session: page }) => {
  model.play([
    { text: "The limit comes first, and the notes after it.\n\nThe limit belongs into the gateway." },
  ]);
  const before = model.requests.length;
  await pickMode(page, "Plan");
  await say(page, "How would you do it?");
  await page.getByRole("button", { name: "Take this as the plan" }).click();
  await page.getByRole("button", { name: "Approve and run" }).waitFor();
  expect(model.requests).toHaveLength(before + 1);
  await page.getByRole("button", { name: "Whole plan" }).click();
  await sheet(page).getByText("The limit belongs into the gateway.").waitFor();
  await sheet(page).getByRole("button", { name: "Save as a file" }).click();
  await sheet(page)
    .getByText(/^Saved as plans\/\d{4}-\d\d-\d\d-[\w-]+\.md\.$/)
    .waitFor();
});
