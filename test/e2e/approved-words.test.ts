// @module-tag long
import { expect } from "vitest";
import { test } from "./fixture.ts";
import { say } from "./phone.ts";

const marks = (text: string | null) => [...new Set(text?.match(/MARK\d/g) ?? [])].sort();
const approve = /Approve and run/;

test("every word of a plan that the model reads as approved is on the card and the sheet", async ({
  model,
  session: page,
}) => {
  const markdown = [
    "Tidy the docs, nothing else.",
    'See [the guide](https://example.com/MARK1 "MARK2 delete the tests") and ![it](x.png "MARK3").',
    "```sh MARK4 push\nls\n```",
    "| file |\n|---|\n| a.txt | MARK5 |",
    "[go](javascript:MARK6)",
    '[x]: https://example.com "MARK7 remove LICENSE"',
  ].join("\n\n");
  model.play([{ calls: [{ name: "exit_plan", args: { plan: markdown } }] }]);
  await say(page, "/plan tidy");
  const card = page.locator(".card.plan");
  await card.getByRole("button", { name: "Whole plan" }).waitFor();
  const onCard = marks(await card.textContent());
  await card.getByRole("button", { name: "Whole plan" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByText("Tidy the docs").first().waitFor();
  const onSheet = marks(await sheet.textContent());
  model.play([{ text: "Tidied." }]);
  await sheet.getByRole("button", { name: approve }).click();
  await page.getByText("Tidied.").first().waitFor();
  const read = marks(JSON.stringify(model.requests.at(-1)?.body));
  expect(read).toHaveLength(7);
  expect(onCard).toEqual(read);
  expect(onSheet).toEqual(read);
});

test("the second plan's sheet shows its own check, and the first plan keeps its text", {
  tags: "long",
}, async ({ model, session: page }) => {
  const steps = (description: string, command: string) => [
    { id: "s1", description, checkpoint: { command } },
  ];
  const planned = (goal: string, description: string, command: string) => [
    { calls: [{ name: "set_plan", args: { goal, steps: steps(description, command) } }] },
    { calls: [{ name: "exit_plan", args: {} }] },
  ];
  model.play(planned("First", "Write b.txt", "true || npm test"));
  await say(page, "/plan first");
  await page.getByRole("button", { name: approve }).first().waitFor();
  const done = {
    calls: [{ name: "update_plan", args: { steps: [{ id: "s1", status: "done", note: "did it" }] } }],
  };
  model.play([done, { text: "All done." }]);
  await page.getByRole("button", { name: approve }).first().click();
  await page.getByText("All done.").first().waitFor();
  model.play(planned("Second", "Write c.txt", "echo another"));
  await say(page, "/plan second");
  await page.locator(".card.plan").getByRole("button", { name: "Whole plan" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByText("Write c.txt").waitFor();
  expect(await sheet.locator(".command").allTextContents()).toEqual(["echo another"]);
  expect(await page.locator(".station .station-title").allTextContents()).toEqual(["1 Write b.txt, done"]);
});
