// A plan that the engine holds, on the phone with the real edge and sandbox: a change waits for a word, a plan that
// stopped half-way is taken up again, marked as finished or left.
import type { Page } from "playwright-core";
import { afterAll, beforeEach, expect } from "vitest";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { test } from "./fixture.ts";
import { newSession, pair, pickMode, say } from "./phone.ts";

let product: Product;
let model: ModelServer;

const checked = (description: string, command: string) => ({ description, checkpoint: { command } });
const done = (id: string) => ({
  name: "update_plan",
  args: { steps: [{ id, status: "done", note: "finished" }] },
});

test.beforeAll(async () => {
  model = await startModelServer([{ text: "Nothing." }]);
  product = await startProduct({
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "test-key", HANDRAIL_MODEL: "scripted" },
  });
});
afterAll(async () => {
  await product?.close();
  await model?.close();
});

beforeEach<{ page: Page }>(async ({ page }) => {
  await pair(page, product);
  await newSession(page);
  const steps = [checked("Limit each token", "true"), checked("Test it", "false"), "Write the notes"];
  model.play([
    { calls: [{ name: "set_plan", args: { goal: "Limit tokens", steps } }] },
    { calls: [{ name: "exit_plan", args: {} }] },
  ]);
  await pickMode(page, "Plan");
  await say(page, "Plan it");
  await page.getByRole("button", { name: "Approve and run" }).waitFor();
});

test("a plan that stopped with steps open says how far it came; it goes on, and is marked as finished", async ({
  page,
}) => {
  model.play([{ calls: [done("s1")] }, { text: "That is all for now." }]);
  await page.getByRole("button", { name: "Approve and run" }).click();
  await page.getByText("1 of 3 steps done.").waitFor();
  model.play([{ calls: [done("s2")] }, { text: "The test fails." }]);
  await page.getByRole("button", { name: "Go on" }).click();
  await page.getByText("Step 2 failed.").waitFor();
  await page.getByRole("button", { name: "Mark as finished" }).click();
  const card = page.locator(".card.finish");
  await card.getByText("Marked as finished by you: steps 2, 3 were open").waitFor();
  expect(await card.textContent()).toContain("Did not pass: Step 2: exit 1");
  expect(await page.getByRole("button", { name: "Go on" }).count()).toBe(0);
});

test("a plan that is left is no longer in force", async ({ page }) => {
  model.play([{ text: "I stop here." }]);
  await page.getByRole("button", { name: "Approve and run" }).click();
  await page.getByRole("button", { name: "Leave it" }).click();
  await page.getByText("You left the plan as it is, with 0 of 3 steps done").first().waitFor();
  expect(await page.getByRole("button", { name: "Mark as finished" }).count()).toBe(0);
});

test("a change of the approved plan is shown with its difference, and made once it is approved", async ({
  page,
}) => {
  const change = {
    steps: [{ id: "s2", checkpoint: { command: "npm test limits" } }],
    addSteps: [{ description: "Publish" }],
  };
  model.play([{ calls: [{ name: "update_plan", args: change }] }, { text: "Stopped." }]);
  await page.getByRole("button", { name: "Approve and run" }).click();
  const card = page.locator(".card.permission");
  await card.getByText("Added Step 4: Publish").waitFor();
  expect(await card.locator(".diff").textContent()).toContain("npm test limits");
  await page.getByRole("button", { name: "Approve the change" }).click();
  await page.getByText("You approved the change of the plan").waitFor();
  await page.getByText("0 of 4 steps done.").waitFor();
});
