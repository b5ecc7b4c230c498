// The recorded session (test/fixtures/recorded) up to its plan, which waits for approval.
import type { Locator, Page } from "playwright-core";
import { answered, typed, withCalls } from "../contract/turns/recorded-session.ts";
import type { ModelReply } from "../fakes/model-reply.ts";
import { pickMode, say } from "./phone.ts";

/** `play` sets the model's next replies. Returns the button that approves the plan. */
export async function recordedPlan(page: Page, play: (replies: ModelReply[]) => void): Promise<Locator> {
  const looking = (from: number, to: number) =>
    withCalls(answered(from, to), ({ name }) => name !== "run_command");
  await pickMode(page, "Plan");
  play(looking(1, 5));
  await say(page, typed(0));
  const sheet = page.getByRole("dialog");
  await sheet.getByText("Configured limit").click();
  play([...looking(6, 7), ...looking(9, 10)]);
  await sheet.getByRole("button", { name: "Answer", exact: true }).click();
  const approve = page.getByRole("button", { name: "Approve and run" });
  await approve.waitFor();
  return approve;
}
