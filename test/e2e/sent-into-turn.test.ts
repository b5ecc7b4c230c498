// A message that is sent into the running turn, which ends before the model has read it.
// @module-tag long
import { test } from "./fixture.ts";
import { say } from "./phone.ts";

test("after a stop it waits again, and can be sent as the next message", async ({ model, session: page }) => {
  model.play([{ calls: [{ name: "run_command", args: { command: "echo beg''un; sleep 90" } }] }]);
  await say(page, "Wait");
  await page.getByText("begun").first().waitFor();
  await say(page, "Then write the tests");
  const chip = page.getByRole("region", { name: "Queued messages" });
  await chip.getByRole("button", { name: "Send now" }).click();
  await chip.getByText("Read after the current call").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await chip.getByText("1 message waiting").waitFor();
  model.play([{ text: "Tests next." }]);
  await chip.getByRole("button", { name: "Send now" }).click();
  await page.getByText("Tests next.").waitFor();
});
