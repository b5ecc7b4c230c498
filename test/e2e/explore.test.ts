// A helper that only reads, with the real edge and sandbox: one row contains all its reads, and its cost is
// counted separately.
// @module-tag long
import { expect } from "vitest";
import { gate } from "../harness/gate.ts";
import { test } from "./fixture.ts";
import { say } from "./phone.ts";

test("a helper's reads are one row that can be opened, and its report is shown", async ({
  model,
  session: page,
}) => {
  const task = "Where are requests signed?";
  const reads = [
    { name: "read_file", args: { path: "src/gateway.js" } },
    { name: "search_files", args: { pattern: "sign" } },
  ];
  model.play((body) => {
    if (String(body.messages[0]?.content).startsWith("You look around"))
      return body.messages.some(({ role }) => role === "tool")
        ? { text: "They are signed in `src/gateway.js:3`." }
        : { calls: reads };
    return body.messages.some(({ role }) => role === "tool")
      ? { text: "In the gateway, then." }
      : { calls: [{ name: "explore", args: { task } }] };
  });
  await say(page, "Find it");
  await page.getByText("In the gateway, then.").waitFor();
  const row = page.getByRole("button", { name: /A helper looked: Where are requests signed\?/ });
  await row.waitFor();
  expect(await row.textContent()).toContain("2 reads");
  expect(await page.getByText("search sign").count()).toBe(0);
  await row.click();
  await page.getByText("search sign").waitFor();
  await page.getByText("They are signed in").waitFor();
  await page.getByText(/scripted · .* tokens in/).waitFor();
});

test("helpers are shown as running, with their task, exactly while they run", async ({
  model,
  session: page,
}) => {
  const { passed, open } = gate();
  const tasks = ["Where are requests signed?", "Who calls that?", "Is it tested?", "Is it said?"];
  model.play((body) => {
    if (String(body.messages[0]?.content).startsWith("You look around"))
      return {
        text: "In `src/gateway.js`.",
        ...(body.messages.at(-1)?.content === tasks[1] ? {} : { hold: passed }),
      };
    return body.messages.some(({ role }) => role === "tool")
      ? { text: "In the gateway, then." }
      : { calls: tasks.map((task) => ({ name: "explore", args: { task } })) };
  });
  await say(page, "Find it");
  const rows = page.locator(".now-calls summary");
  await expect
    .poll(() => rows.evaluateAll((all) => all.map((row) => row.querySelector("code")?.textContent)))
    .toEqual(tasks.map((task) => `helper: ${task}`));
  await expect
    .poll(() => rows.locator("b").allTextContents())
    .toEqual(["Running", "Reported", "Running", "Queued"]);
  open();
  await page.getByText("In the gateway, then.").waitFor();
});
