// The phone shows the cost of a session and how full the model's context is. A spending cap ends a turn with
// an explanation.
// @module-tag long
import { expect } from "vitest";
import { gate } from "../harness/gate.ts";
import { test } from "./fixture.ts";
import { pair, say } from "./phone.ts";

// A scripted answer has 100 tokens in and 20 out, which cost 3.6 cents.
test.override({ serverEnv: { HANDRAIL_PRICE: "200,800", HANDRAIL_CONTEXT_WINDOW: "9000" } });

test("what is typed into a field of Settings outlasts what arrives from the server meanwhile", async ({
  product,
  page,
}) => {
  await pair(page, product);
  for (const [label, text] of [
    ["At most per day, in US dollars", "2.5"],
    ["Rounds while nobody watches", "12"],
    ["Your own key for", "sk-half"],
  ] as const) {
    const typed = gate();
    await page.route("**/api/config", async (route) => {
      await typed.passed;
      await route.continue();
    });
    await page.goto(`${product.url}/#/`);
    const drawn = page.waitForResponse("**/api/config");
    await page.goto(`${product.url}/#/settings`);
    const field = page.getByLabel(label).first();
    // The focus stays in the field, because leaving the field would store its value.
    await field.pressSequentially(text);
    typed.open();
    await drawn;
    // The page is drawn again in the next frame.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    expect(await field.inputValue()).toBe(text);
    await page.unroute("**/api/config");
  }
});

test("tokens, budget, cost and trimming are shown; a spending limit ends the turn and says where to change it, and a higher one lets it continue", async ({
  model,
  product,
  session: page,
}) => {
  const large = { calls: [{ name: "run_command", args: { command: "seq 1 9000" } }] };
  model.play([large, large, large, large, { text: "Counted." }]);
  await say(page, "Count");
  await page.getByText("Counted.").waitFor();
  const session = page.url();
  await page.getByRole("button", { name: /^Progress/ }).click();
  const menu = page.getByRole("dialog");
  await menu.getByText(/^\d+ % of 7k tokens/).waitFor();
  await menu.getByRole("meter", { name: /^Context \d+ % full$/ }).waitFor();
  await menu.getByText(/\d+ older messages shortened or left out for the model/).waitFor();
  await menu.getByText(/^0:\d\d · 500 tokens in, 100 out, \$0\.18$/).waitFor();

  await page.goto(`${product.url}/#/settings`);
  await page.getByText("$0.18 today, $0.18 in the last month").waitFor();
  const cap = page.getByLabel("At most per session, in US dollars");
  await cap.fill("0.2");
  await cap.blur();
  await page.goto(session);
  const asked = model.requests.length;
  model.play([{ text: "Went on." }]);
  await say(page, "Again");
  // The edge does not send a request that would pass the limit, and says so once.
  const refused = page.getByText(
    /^Failed The next request would exceed the spending limit, so it was not sent: it costs about \$\d+\.\d\d, \$0\.02 is left/,
  );
  await refused.waitFor();
  expect([model.requests.length, await refused.count()]).toEqual([asked, 1]);
  await page.getByRole("button", { name: "Change the limit" }).click();
  await cap.fill("-3");
  await cap.blur();
  await page.getByRole("alert").getByText("Give an amount of 0 or more").waitFor();
  await page.getByText("The limit is still $0.2.", { exact: false }).waitFor();
  await cap.fill("50");
  await cap.blur();
  await page.goto(session);
  await page.getByRole("button", { name: "Retry" }).click();
  await page.getByText("Went on.").waitFor();
  expect(model.requests.length).toBe(asked + 1);
});
