// The model proposes to plan first, with the real edge and sandbox: the screen shows a card with two buttons,
// and nothing happens before a tap.
// @module-tag long
import { expect } from "vitest";
import { test } from "./fixture.ts";
import { say } from "./phone.ts";

const enter = { text: "This touches many files.", calls: [{ name: "enter_plan", args: {} }] };

test("Plan first turns plan mode on, and no sheet covers the question", async ({ model, session: page }) => {
  model.play([enter]);
  await say(page, "Rename the gateway");
  const card = page.getByRole("region", { name: "Plan first?" });
  await card.waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  model.play([{ text: "I look first." }]);
  await card.getByRole("button", { name: "Plan first" }).click();
  await page.getByText("I look first.").waitFor();
  await page.getByText("Plan mode on").first().waitFor();
  await card.waitFor({ state: "detached" });
});

test("Just do it stays in normal mode, and text typed instead is a message", {
  tags: "long",
}, async ({ model, session: page }) => {
  const card = page.getByRole("region", { name: "Plan first?" });
  model.play([enter]);
  await say(page, "Rename the gateway");
  await card.waitFor();
  model.play([{ text: "Only there then.", calls: [{ name: "enter_plan", args: {} }] }]);
  await say(page, "Rename it in the readme");
  await page.getByText("Only there then.").waitFor();
  await card.waitFor();
  model.play([{ text: "Done at once." }]);
  await card.getByRole("button", { name: "Just do it" }).click();
  await page.getByText("Done at once.").waitFor();
  expect(await page.getByText("Plan mode on").count()).toBe(0);
});
