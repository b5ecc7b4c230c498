// Two devices on one session: a sheet decides on what its device showed, also after the other device decided.
// @module-tag long
import type { Browser, Page } from "playwright-core";
import { expect } from "vitest";
import type { Product } from "../harness/product.ts";
import { test } from "./fixture.ts";
import { newSession, openFromServer, openPhone, pair, pickMode, say } from "./phone.ts";

let browser: Browser;

test.beforeAll(async ({ browser: shared }) => {
  browser = shared;
});

/** The model's answers that propose a plan. */
const proposing = (goal: string) => [
  { calls: [{ name: "set_plan", args: { goal, steps: [`${goal} now`] } }] },
  { calls: [{ name: "exit_plan", args: {} }] },
];

/** Rejects the plan about `thing`, which waits, on a device that does not have the session yet. */
async function rejectOn(page: Page, product: Product, thing: string): Promise<void> {
  await pair(page, product);
  await openFromServer(page, `Keep the ${thing}`);
  await page.getByRole("button", { name: "Reject", exact: true }).click();
  await page.getByRole("button", { name: "Reject without a comment" }).click();
}

/** The sheets that decide on a plan without showing it: what the plan is about, how one is opened, and words in it. */
const unshown: [sheet: string, thing: string, open: (page: Page) => Promise<void>, words: string][] = [
  [
    "other ways to approve",
    "cache",
    (page) => page.getByRole("button", { name: "Other ways to approve" }).click(),
    "Run it in Auto",
  ],
  [
    "the rejection",
    "index",
    (page) => page.getByRole("button", { name: "Reject", exact: true }).click(),
    "It plans again with what you say.",
  ],
  ["the way out of plan mode", "queue", (page) => pickMode(page, "Normal"), "Just switch"],
];

test.for(unshown)(
  "the sheet with %s closes when another device has the plan replaced: the new one is not decided on unseen",
  async ([, thing, open, words], { model, product }) => {
    model.play([`Keep the ${thing}`, `Delete the ${thing}`].flatMap(proposing));
    const phone = await openPhone(browser);
    await pair(phone.page, product);
    await newSession(phone.page);
    await say(phone.page, `/plan Decide on the ${thing}`);
    await phone.page.getByRole("button", { name: "Approve and run" }).waitFor();
    await open(phone.page);
    await phone.page.getByRole("dialog").getByText(words).waitFor();
    const laptop = await openPhone(browser);
    await rejectOn(laptop.page, product, thing);
    await phone.page.getByText(`Delete the ${thing} now`).first().waitFor();
    await phone.page.getByRole("button", { name: "Approve and run" }).waitFor();
    expect(await phone.page.getByRole("dialog").count()).toBe(0);
    for (const { context } of [phone, laptop]) await context.close();
  },
);

test("the sheet of a plan keeps showing that plan when another device has it replaced, and approves nothing any more", async ({
  model,
  product,
}) => {
  model.play(["Keep the backup", "Delete the backup"].flatMap(proposing));
  const phone = await openPhone(browser);
  await pair(phone.page, product);
  await newSession(phone.page);
  await say(phone.page, "/plan Decide on the backup");
  await phone.page.getByRole("button", { name: "Whole plan" }).click();
  const sheet = phone.page.getByRole("dialog");
  await sheet.getByRole("button", { name: "Approve and run" }).waitFor();
  const laptop = await openPhone(browser);
  await rejectOn(laptop.page, product, "backup");
  await phone.page.locator(".card.plan", { hasText: "Delete the backup now" }).waitFor({ state: "attached" });
  await sheet.getByRole("button", { name: "Approve and run" }).waitFor({ state: "detached" });
  expect(await sheet.textContent()).toContain("Keep the backup now");
  expect(await sheet.textContent()).not.toContain("Delete the backup now");
  for (const { context } of [phone, laptop]) await context.close();
});

test("the sheet that denies a call closes when another device decides on it: the next call is not denied unseen", async ({
  model,
  product,
}) => {
  const removal = (id: string) => ({
    calls: [{ id, name: "run_command", args: { command: `rm -rf ${id}` } }],
  });
  model.play([removal("old"), removal("newer"), { text: "Done." }]);
  const phone = await openPhone(browser);
  await pair(phone.page, product);
  await newSession(phone.page);
  await say(phone.page, "Clean up the folders");
  await phone.page.getByRole("button", { name: "Deny…" }).click();
  await phone.page.getByRole("dialog").getByText("The agent reads what you write here.").waitFor();
  const laptop = await openPhone(browser);
  await pair(laptop.page, product);
  await openFromServer(laptop.page, "Clean up the folders");
  await laptop.page.getByRole("button", { name: "Allow once" }).click();
  await phone.page.getByText("rm -rf newer").first().waitFor();
  await phone.page.getByRole("button", { name: "Deny…" }).waitFor();
  expect(await phone.page.getByRole("dialog").count()).toBe(0);
  for (const { context } of [phone, laptop]) await context.close();
});
