// Another model reviews a plan, with the real edge: the person turns its points into comments, which go along
// with the decision.
// @module-tag long
import { afterAll, expect } from "vitest";
import { type RequestBody, startModelServer } from "../fakes/model-server.ts";
import { gate } from "../harness/gate.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { test } from "./fixture.ts";
import { newSession, pair, pickMode, say } from "./phone.ts";
import { shown } from "./shown-screen.ts";

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
/** Plays plans and their reviews. A review arrives once `answered` has resolved. */
const played = (name: string, answered: Promise<unknown>) => (body: RequestBody) => {
  if (String(body.messages[0]?.content).startsWith("You review")) return { text: review, hold: answered };
  return body.messages.some(({ role }) => role === "tool")
    ? { calls: [{ name: "exit_plan", args: {} }] }
    : { calls: [{ name: "set_plan", args: { goal: name, steps } }] };
};
const review =
  '{"points": [{"step": 1, "text": "Say in which language."}, {"step": 0, "text": "No way back."}]}';

test("points are accepted with a tap, and sent to the model with the approval", async ({ page }) => {
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
  await sheet.getByText("Say in which language.").scrollIntoViewIfNeeded();
  await shown(page, "second-opinion");
  for (const _ of ["one", "other"]) await sheet.getByRole("button", { name: "Accept" }).first().click();
  expect(await sheet.getByText("Accepted: sent with your decision").count()).toBe(2);
  await sheet.getByRole("button", { name: "Reject with 2 comments" }).waitFor();
  await sheet.getByRole("button", { name: "Remove" }).last().click();
  await sheet.getByRole("button", { name: "Reject with 1 comment" }).waitFor();
  await sheet.getByRole("button", { name: "Accept" }).click();
  await sheet.getByRole("button", { name: "Approve…" }).click();
  await sheet.getByText("Say in which language.").waitFor();
  await sheet.getByText("No way back.").waitFor();
  await shown(page, "second-opinion-approve");
  await sheet.getByRole("button", { name: /^Run it Asks/ }).click();
  await page.getByText("Working.").first().waitFor();
  const sent = JSON.stringify(model.requests.map(({ body }) => body.messages));
  expect(sent).toContain("On step 1 (s1): Say in which language.");
  expect(sent).toContain("No way back.");
});

test("with every plan, each is reviewed once, whichever session is open meanwhile", async ({ page }) => {
  await pair(page, product);
  await page.goto(`${product.url}/#/settings`);
  await page.getByRole("radiogroup", { name: "Model that reviews plans" }).getByText("critic").click();
  await page.getByRole("checkbox", { name: "Ask for it with every plan" }).check();
  const before = model.requests.length;
  const reviews = () =>
    model.requests
      .slice(before)
      .filter(({ body }) => String(body.messages[0]?.content).startsWith("You review")).length;
  const offer = page.getByRole("button", { name: "Second opinion" });
  const planned = async (name: string, answered: Promise<unknown>) => {
    model.play(played(name, answered));
    await page.goto(`${product.url}/#/`);
    await newSession(page);
    await pickMode(page, "Plan");
    await say(page, name);
    await offer.getByText("is being asked for").waitFor();
    return page.url();
  };
  const [first, second] = [gate(), gate()];
  const one = await planned("Write one", first.passed);
  await expect.poll(reviews).toBe(1);
  const other = await planned("Write another", second.passed);
  await expect.poll(reviews).toBe(2);
  await page.goto(one);
  await offer.getByText("is being asked for").waitFor();
  first.open();
  await offer.getByText("2 points").waitFor();
  await shown(page, "second-opinion-offer");
  await page.setViewportSize({ width: 320, height: 568 });
  for (const size of ["100%", "200%"]) {
    await page.evaluate((fontSize) => (document.documentElement.style.fontSize = fontSize), size);
    await offer.click({ trial: true });
    const { height = 0 } = (await page.locator(".transcript").boundingBox()) ?? {};
    expect(height, size).toBeGreaterThan(568 / 10);
  }
  await page.evaluate(() => (document.documentElement.style.fontSize = ""));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(other);
  await offer.getByText("is being asked for").waitFor();
  second.open();
  await offer.getByText("2 points").waitFor();
  expect(reviews()).toBe(2);
});
