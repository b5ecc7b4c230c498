// A plan that another model reviews, with the real edge: its points are taken over as comments, which go with the decision.
// @module-tag long
import { afterAll, expect } from "vitest";
import { startModelServer } from "../fakes/model-server.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { test } from "./fixture.ts";
import { newSession, pair, pickMode, say } from "./phone.ts";

const model = await startModelServer([{ text: "unused" }]);
let product: Product;
test.beforeAll(async () => {
  product = await startProduct({
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "test-key", HANDRAIL_MODEL: "scripted,critic" },
  });
});
afterAll(async () => {
  await product?.close();
  await model.close();
});

const steps = [{ id: "s1", description: "Write note.txt", checkpoint: { command: "test -f note.txt" } }];
const review =
  '{"points": [{"step": 1, "text": "Say in which language."}, {"step": 0, "text": "No way back."}]}';

test("points are taken over with a tap, and go to the model with the approval", async ({ page }) => {
  model.play((body) => {
    if (String(body.messages[0]?.content).startsWith("You review")) return { text: review };
    if (body.messages.some(({ content }) => String(content).includes("Approved.")))
      return { text: "Working." };
    return body.messages.some(({ role }) => role === "tool")
      ? { calls: [{ name: "exit_plan", args: {} }] }
      : { calls: [{ name: "set_plan", args: { goal: "Write a note", steps } }] };
  });
  await pair(page, product);
  await newSession(page);
  await pickMode(page, "Plan");
  await say(page, "A note, please");
  const approve = page.getByRole("button", { name: "Approve and run" });
  await approve.first().waitFor();
  await page
    .getByRole("button", { name: /whole plan|Look at|Plan ·|version 1/i })
    .first()
    .click();
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("button", { name: "Ask critic to review it" }).click();
  await sheet.getByText("Say in which language.").waitFor();
  for (const _ of ["one", "other"]) await sheet.getByRole("button", { name: "Take over" }).first().click();
  expect(await sheet.getByText("Taken over: it goes with your decision").count()).toBe(2);
  await sheet.getByRole("button", { name: "Approve…" }).click();
  await sheet.getByText("Say in which language.").waitFor();
  await sheet.getByText("No way back.").waitFor();
  await sheet.getByRole("button", { name: /^Run it Asks/ }).click();
  await page.getByText("Working.").first().waitFor();
  const sent = JSON.stringify(model.requests.map(({ body }) => body.messages));
  expect(sent).toContain("On step 1 (s1): Say in which language.");
  expect(sent).toContain("No way back.");
});
