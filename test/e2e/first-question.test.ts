// The model's only answer is a question, before its first plan, with the real edge and sandbox. The person
// can put the question away in any place and still answer it.
// @module-tag long
import { expect } from "vitest";
import { test } from "./fixture.ts";
import { pickMode, say } from "./phone.ts";

const options = [{ label: "Short" }, { label: "Friendly" }];
const questions = [
  { id: "tone", label: "Tone", prompt: "Which tone?", type: "single_select", options },
  { id: "name", label: "Name", prompt: "Which name?", type: "free_text" },
];

for (const asked of questions)
  test(`a question of type ${asked.type} alone in the first planning turn has its Answer button`, {
    tags: asked.type === "single_select" ? [] : "long",
  }, async ({ model, session: page }) => {
    await pickMode(page, "Plan");
    // The model asks twice, because the edge's answer to the first question is that it must draft a plan
    // first.
    const asks = { text: "", calls: [{ name: "ask_user", args: { questions: [asked] } }] };
    model.play([asks, asks]);
    await say(page, "Plan it");
    const sheet = page.getByRole("dialog");
    await sheet.getByRole("button", { name: "Answer", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Answer 1 question" }).click();
    if (asked.type === "single_select") await sheet.getByText("Friendly").click();
    else await sheet.getByRole("textbox").fill("Ada");
    model.play([{ text: "Then I know enough." }]);
    await sheet.getByRole("button", { name: "Answer", exact: true }).click();
    await page.getByText("Then I know enough.").waitFor();
    expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain(
      asked.type === "single_select" ? "Friendly" : "Ada",
    );
  });

test("a question with a summary and long options opens at its beginning", async ({
  model,
  session: page,
}) => {
  await pickMode(page, "Plan");
  const long =
    "If a name contains what was typed, what happens to files that only have its letters in other places";
  const labels = ["**Hide** them", "Keep them below", "Keep all as it is"].map(
    (label) => `${label}: ${long}`,
  );
  const asked = { ...questions[0], prompt: `${long}?`, options: labels.map((label) => ({ label })) };
  const summary = [1, 2, 3].map((line) => `${line}. ${long}.`).join("\n");
  const asks = { text: "", calls: [{ name: "ask_user", args: { summary, questions: [asked] } }] };
  model.play([asks, asks]);
  await say(page, "Plan it");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Answer 1 question" }).click();
  await page.getByRole("dialog").getByText("Keep all as it is").waitFor();
  const at = await page
    .locator(".sheet-scroll")
    .evaluate((box) => ({ top: box.scrollTop, scrolls: box.scrollHeight > box.clientHeight }));
  expect(at).toEqual({ top: 0, scrolls: true });
  expect(await page.getByRole("dialog").textContent()).not.toContain("*");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(asked.prompt);
});
