// The network for one command: the person is asked before a command that obviously needs it. The card of a
// command that failed without network offers it, and so does a step whose check failed.
// @module-tag long
import { expect } from "vitest";
import { SandboxAnswer } from "../../shared/api.ts";
import { test } from "./fixture.ts";
import { pickMode, say } from "./phone.ts";
import { storedUnder } from "./stored-history.ts";

const runs = (id: string, command: string) => [
  { calls: [{ id, name: "run_command", args: { command } }] },
  { text: `Done with ${id}.` },
];

test("a command that needs the network asks for it before it runs, and Never ends the questions", async ({
  model,
  session: page,
}) => {
  model.play(runs("one", "npm ci --fetch-retries=0"));
  await say(page, "Install");
  const card = page.locator(".asked-card", { hasText: "npm ci" });
  await card.waitFor();
  expect(await card.textContent()).toContain("needs the network, which commands do not have here");
  const bar = page.locator(".actions");
  await bar.getByRole("button", { name: "Allow for this session" }).waitFor();
  await bar.getByRole("button", { name: "Never" }).click();
  await page.getByText("Done with one.").waitFor();
  model.play(runs("two", "npm ci --fetch-retries=0 --loglevel=error"));
  await say(page, "Install again");
  await page.getByText("Done with two.").waitFor();
  expect(await page.getByRole("button", { name: "Allow network for this command" }).count()).toBe(0);
});

test("a command that failed without the network offers it, and Retry sends the agent back to it", async ({
  model,
  product,
  session: page,
}) => {
  const command = "echo 'Could not resolve host: nowhere.invalid' >&2; exit 6";
  model.play(runs("one", command));
  await say(page, "Look it up");
  const card = page.locator(".card.call", { hasText: "Could not resolve" });
  await card.getByText("It needs the network, which commands do not have here.").waitFor();
  expect(await card.locator(".refused-hosts button").allTextContents()).toEqual([
    "Never",
    "This session",
    "Allow network for this command",
  ]);
  await card.getByRole("button", { name: "Allow network for this command" }).click();
  await card.getByText("The network is open for this command, once.").waitFor();
  model.play(runs("two", `${command} 2>&1 | tail -5`));
  await card.getByRole("button", { name: "Retry" }).click();
  await page.getByText("Done with two.").waitFor();
  expect(await page.locator(".bubble").last().textContent()).toContain(
    "The network is open for this command now.",
  );
  // The command used the one-time permission. That is spent even if less of the output was shown.
  const [stored] = (await storedUnder(page, "session/")) as { sandboxId: string }[];
  const headers = { authorization: `Bearer ${product.token}` };
  const answer = await fetch(`${product.url}/api/sandboxes/${stored?.sandboxId}`, { headers });
  expect(SandboxAnswer.parse(await answer.json()).opened?.once).toEqual([]);
});

test("a step whose check failed without the network offers it, and Retry sends the agent back to the check", async ({
  model,
  session: page,
}) => {
  const command = `test -n "$HTTPS_PROXY" || { echo 'Could not resolve host: nowhere.invalid' >&2; exit 6; }`;
  const steps = [{ description: "Look it up", checkpoint: { command } }];
  const report = {
    name: "update_plan",
    args: { steps: [{ id: "s1", status: "done", note: "looked" }] },
  };
  model.play([
    { calls: [{ name: "set_plan", args: { goal: "Look", steps } }] },
    { calls: [{ name: "exit_plan", args: {} }] },
  ]);
  await pickMode(page, "Plan");
  await say(page, "Plan it");
  const approve = page.getByRole("button", { name: "Approve and run" });
  await approve.waitFor();
  model.play([{ calls: [report] }, { text: "No network." }]);
  await approve.click();
  await page.getByText("No network.").waitFor();
  const station = page.locator(".station.failed");
  await station.getByText("It needs the network, which commands do not have here.").waitFor();
  await station.getByRole("button", { name: "Allow network for this command" }).click();
  await station.getByText("The network is open for this command, once.").waitFor();
  model.play([{ calls: [report] }, { text: "Found." }]);
  await station.getByRole("button", { name: "Retry" }).click();
  await page.getByText("Found.").waitFor();
  expect(await page.locator(".bubble").last().textContent()).toContain("Report step “s1” done again");
  expect(await page.locator(".station.done").count()).toBe(1);
  expect(await page.getByText("It needs the network, which").count()).toBe(0);
});
