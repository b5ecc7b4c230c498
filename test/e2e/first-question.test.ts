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
