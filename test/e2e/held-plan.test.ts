// An unfinished plan, on the phone with the real edge and sandbox: a change of it waits for approval; a plan
// that stopped half-way can be continued, marked as finished or left.
import type { Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import type { ModelServer } from "../fakes/model-server.ts";
import { failingJail } from "../harness/failing-jail.ts";
import { test as plain } from "./fixture.ts";
import { composer, pickMode, say } from "./phone.ts";

const jail = failingJail("none-left");
afterAll(jail.remove);

const checked = (description: string, command: string) => ({ description, checkpoint: { command } });
const done = (id: string) => ({
  name: "update_plan",
  args: { steps: [{ id, status: "done", note: "finished" }] },
});

/** A session whose plan of three steps waits for approval. */
const test = plain
  .override({ serverEnv: { PATH: jail.path } })
  .extend("proposed", async ({ session: page, model }) => {
    const steps = [checked("Limit each token", "true"), checked("Test it", "false"), "Write the notes"];
    model.play([
      { calls: [{ name: "set_plan", args: { goal: "Limit tokens", steps } }] },
      { calls: [{ name: "exit_plan", args: {} }] },
    ]);
    await pickMode(page, "Plan");
    await say(page, "Plan it");
    await page.getByRole("button", { name: "Approve and run" }).waitFor();
    return page;
  });

test("a plan that stopped with steps open says how far it came; it can be continued, and marked as finished", {
  tags: "long",
}, async ({ model, proposed: page }) => {
  model.play([{ calls: [done("s1")] }, { text: "That is all for now." }]);
  await page.getByRole("button", { name: "Approve and run" }).click();
  await page.getByText("1 of 3 steps done.").waitFor();
  model.play([{ calls: [done("s2")] }, { text: "The test fails." }]);
  await page.getByRole("button", { name: "Go on" }).click();
  await page.getByText("Step 2 failed.").waitFor();
  await page.getByRole("button", { name: "Mark done" }).click();
  const card = page.locator(".card.finish");
  await card.getByText("Marked as finished by you: steps 2, 3 were open").waitFor();
  expect(await card.textContent()).toContain("Did not pass: Step 2: exit 1");
  expect(await page.getByRole("button", { name: "Go on" }).count()).toBe(0);
});

test("a rejected plan is compared with the next one, and not with itself while the model only answers", {
  tags: "long",
}, async ({ model, proposed: page }) => {
  const reject = async () => {
    await page.getByRole("button", { name: "Reject" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Reject without a comment" }).click();
  };
  const plan = { goal: "Limit tokens", steps: ["Limit each token"] };
  model.play([
    {
      calls: [
        { name: "set_plan", args: plan },
        { name: "exit_plan", args: {} },
      ],
    },
  ]);
  await reject();
  await page.getByText(/^Compared with version 1, which you rejected/).waitFor();
  model.play([{ text: "There is no other way." }]);
  await reject();
  await page.getByText("There is no other way.").waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
  expect(await page.getByText(/^Compared with/).count()).toBe(0);
});

/** The text of all messages in the newest request. */
const said = (model: ModelServer) => JSON.stringify(model.requests.at(-1)?.body.messages);

/** Approves the plan and lets its second step fail. */
async function toFailure(page: Page, model: ModelServer): Promise<void> {
  model.play([{ calls: [done("s1")] }, { calls: [done("s2")] }, { text: "The test fails." }]);
  await page.getByRole("button", { name: "Approve and run" }).click();
  await page.getByText("1 of 3 steps done. Step 2 failed.").waitFor();
}

test("a failed check offers Retry, Skip and a message to the agent, and each does what it says", {
  tags: "long",
}, async ({ model, proposed: page }) => {
  await toFailure(page, model);
  await page.locator(".station.failed .station-note", { hasText: "false failed" }).waitFor();
  await page.getByRole("img", { name: "Step 2 of 3" }).waitFor();
  model.play([{ calls: [done("s2")] }, { text: "It fails still." }]);
  await page.getByRole("button", { name: "Retry" }).click();
  await page.getByText("It fails still.").last().waitFor();
  await expect.poll(() => page.locator(".station.failed").count()).toBe(2);

  await page.getByRole("button", { name: "Tell it…" }).click();
  expect(await composer(page).evaluate((field) => field === document.activeElement)).toBe(true);
  model.play([{ calls: [done("s2")] }, { text: "I look at the limits." }]);
  await say(page, "The limits are in limits.ts");
  await page.getByText("I look at the limits.").last().waitFor();
  expect(said(model)).toContain("The limits are in limits.ts");

  const skipped = {
    name: "update_plan",
    args: { steps: [{ id: "s2", status: "skipped", note: "as you say" }] },
  };
  model.play([{ calls: [skipped] }, { text: "Then the notes." }]);
  await page.getByRole("button", { name: "Skip" }).click();
  await page.getByText("Then the notes.").last().waitFor();
  await page.locator(".station.skipped", { hasText: "Test it" }).waitFor();
  await page.locator(".station.active", { hasText: "Write the notes" }).waitFor();
});

test("a plan that the person stopped says after how many steps, and can be continued", {
  tags: "long",
}, async ({ model, proposed: page }) => {
  const command = "echo begun; until [ -e never ]; do sleep 0.05; done";
  model.play([{ calls: [done("s1")] }, { calls: [{ name: "run_command", args: { command } }] }]);
  await page.getByRole("button", { name: "Approve and run" }).click();
  await page.locator(".station.done", { hasText: "Limit each token" }).waitFor();
  await page.locator(".now-output", { hasText: "begun" }).waitFor();
  // The card of what runs shows the title of the step. The step above it shows its number.
  const titles = page.locator(".now-title, .station-title").filter({ hasText: "Test it" });
  expect(await titles.count()).toBe(1);
  await page.locator(".station.active .station-title", { hasText: "Step 2" }).click();
  await expect.poll(() => titles.count()).toBe(2);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.locator(".bar-words", { hasText: "Stopped after 1 of 3 steps." }).waitFor();
  await page.locator(".page-head", { hasText: "Stopped after 1 of 3 steps" }).waitFor();
  model.play([{ text: "On with the test." }]);
  await page.getByRole("button", { name: "Go on" }).click();
  await page.getByText("On with the test.").last().waitFor();
  await page.getByText("You told it to go on").waitFor();
});

test("once the model is asked again nothing is shown as running or being checked", { tags: "long" }, async ({
  model,
  proposed: page,
}) => {
  model.play([{ calls: [done("s1")] }, { text: "", hang: true }]);
  const before = model.requests.length;
  await page.getByRole("button", { name: "Approve and run" }).click();
  await model.request(before + 2);
  await page.locator(".now-card .now-thinks", { hasText: "Thinking" }).waitFor();
  expect(await page.locator(".now-calls").count()).toBe(0);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.locator(".bar-words", { hasText: /^Stopped after/ }).waitFor();
});

test("an abandoned plan is no longer active", { tags: "long" }, async ({ model, proposed: page }) => {
  model.play([{ text: "I stop here." }]);
  await page.getByRole("button", { name: "Approve and run" }).click();
  await page.getByRole("button", { name: "Close plan" }).click();
  await page.getByText("You left the plan as it is, with 0 of 3 steps done").first().waitFor();
  expect(await page.getByRole("button", { name: "Mark done" }).count()).toBe(0);
});

test("a plan without steps ends when the agent has worked and stops; before that the person can end it", {
  tags: "long",
}, async ({ model, session: page }) => {
  const approve = async (plan: string, heading = "") => {
    await pickMode(page, "Plan");
    model.play([{ calls: [{ name: "exit_plan", args: { plan: heading + plan } }] }]);
    await say(page, plan);
    await page.getByText("No steps: no checks, no undo points.").first().waitFor();
    await page.getByRole("button", { name: "Whole plan" }).last().click();
    const whole = page.locator(".plan-whole");
    await whole.getByText("No steps: no checks, no undo points.").waitFor();
    // The news since the last plan repeat the plan's words, so they are left out here.
    const shown = await whole.locator(":scope > :not(.plan-news)").allInnerTexts();
    expect(shown.filter((words) => words.includes(plan))).toHaveLength(1);
    await page.keyboard.press("Escape");
    await whole.waitFor({ state: "detached" });
  };
  await approve("Just copy the note.");
  model.play([{ text: "Where to?" }]);
  await page.getByRole("button", { name: "Approve and run" }).click();
  await page.getByText("The plan has no steps: you say when it is finished.").waitFor();
  model.play([{ calls: [{ name: "run_command", args: { command: "echo x > copy" } }] }, { text: "Copied." }]);
  await say(page, "Beside it");
  await page.getByRole("heading", { name: "Finished" }).waitFor();
  expect(await page.getByRole("button", { name: "Mark done" }).count()).toBe(0);

  await approve("Only look at the note.", "## Goal\n\n");
  model.play([{ text: "I looked." }]);
  await page.getByRole("button", { name: "Approve and run" }).click();
  await page.getByRole("button", { name: "Close plan" }).click();
  await page.getByText("You left the plan as it is").first().waitFor();
});

test("a change of the approved plan is shown with its diff, and made once it is approved", {
  tags: "long",
}, async ({ model, proposed: page }) => {
  const change = {
    steps: [{ id: "s2", checkpoint: { command: "npm test limits" } }],
    addSteps: [{ description: "Publish" }],
  };
  model.play([{ calls: [{ name: "update_plan", args: change }] }, { text: "Stopped." }]);
  await page.getByRole("button", { name: "Approve and run" }).click();
  const card = page.locator(".card.permission");
  await card.getByText("Added Step 4: Publish").waitFor();
  expect(await card.locator(".diff").textContent()).toContain("npm test limits");
  // The person reads the change alone, without unchanged lines, before approving it.
  expect(await card.locator(".diff-line.same").count()).toBe(0);
  await page.getByRole("button", { name: "Approve change" }).click();
  await page.getByText("You approved the change of the plan").waitFor();
  await page.getByText("0 of 4 steps done.").waitFor();
});

test("checks that could not run, of a step and of the whole plan, are run again with Retry", {
  tags: "long",
}, async ({ model, session: page }) => {
  const steps = [checked("Write it", "echo none-left"), "Look at it"];
  const checkpoints = [{ command: "echo none-left at the end" }];
  model.play([
    { calls: [{ name: "set_plan", args: { goal: "Write a note", steps, checkpoints } }] },
    { calls: [{ name: "exit_plan", args: {} }] },
  ]);
  await pickMode(page, "Plan");
  await say(page, "Plan it");
  const retry = page.getByRole("button", { name: "Retry" });
  const approve = page.getByRole("button", { name: "Approve and run" });
  await approve.waitFor();

  jail.fail(true);
  model.play([{ calls: [done("s1")] }, { calls: [done("s1")] }]);
  await approve.click();
  await page.getByText("0 of 2 steps done. The check of step 1 could not be run.").waitFor();
  jail.fail(false);
  model.play([{ text: "Checked now." }]);
  await retry.click();
  await page.getByText("1 of 2 steps done.", { exact: true }).waitFor();

  jail.fail(true);
  model.play([{ calls: [done("s2")] }, { text: "All is there." }]);
  await page.getByRole("button", { name: "Go on" }).click();
  await page.getByText("2 of 2 steps done. The plan's check 1 could not be run.").waitFor();
  jail.fail(false);
  model.play([{ text: "It is finished." }]);
  await retry.click();
  const card = page.locator(".card.finish");
  await card.getByText("2 of 2 steps · 2 of 2 checks passed").waitFor();
  expect(await retry.count()).toBe(0);
});
