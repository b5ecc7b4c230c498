// A command in the background: it is visible while it runs, a tap keeps it beyond the turn, and another tap
// ends it.
// @module-tag long
import { expect } from "vitest";
import { gate } from "../harness/gate.ts";
import { test } from "./fixture.ts";
import { say } from "./phone.ts";

const command = "echo ready; sleep 1000";

test("a background command is shown with its ports, kept with a tap, and ended with another", async ({
  model,
  session: page,
}) => {
  const { passed, open } = gate();
  const listens = `node -e 'require("net").createServer().listen(4173, () => console.log("ready"))'`;
  const begins = (id: string, line: string) => ({
    id,
    name: "run_command",
    args: { command: line, background: true },
  });
  model.play([{ calls: [begins("a", listens), begins("b", command)] }, { text: "Both run.", hold: passed }]);
  await say(page, "Start the server.");
  const bar = page.getByRole("region", { name: "In the background" });
  const server = bar.locator("div", { hasText: "createServer" });
  await server.waitFor();
  expect(await server.textContent()).toContain("In the background, port 4173: ");
  expect(await server.textContent()).toContain("It ends with the turn.");
  await server.getByRole("button", { name: "Keep it" }).click();
  await server.getByText("It continues after the turn.").waitFor();
  open();
  await page.getByText("Both run.").waitFor();
  // The other command ends with the turn.
  await bar.locator("div", { hasText: command }).waitFor({ state: "detached" });
  expect(await page.locator(".card.call", { hasText: command }).textContent()).toContain(
    "Started in the background:",
  );
  await page.reload();
  await server.getByText("It continues after the turn.").waitFor();
  await server.getByRole("button", { name: "Stop it" }).click();
  await bar.waitFor({ state: "detached" });
});
