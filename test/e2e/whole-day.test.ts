// A person's whole day, with the real product and a model that follows a script: pairing, plan, answers,
// approval, a lift without signal, an undo, another phone, full storage and an update of the app.
import type { Browser, Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import type { ModelReply } from "../fakes/model-reply.ts";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { test } from "./fixture.ts";
import { composer, newSession, newTab, openPhone, pair, say, transcriptWords } from "./phone.ts";
import { emptyAgain, fillUp, grant, putKept } from "./phone-storage.ts";
import { savedDownload } from "./saved-download.ts";
import { startUpdatingFront, type UpdatingFront } from "./updating-front.ts";

let browser: Browser;
let product: Product;
let model: ModelServer;
let front: UpdatingFront;

test.beforeAll(async ({ browser: shared }) => {
  browser = shared;
  model = await startModelServer([{ text: "Nothing." }]);
  product = await startProduct({
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "test-key", HANDRAIL_MODEL: "scripted" },
  });
  front = await startUpdatingFront(product.url);
});
afterAll(async () => {
  front?.close();
  await product?.close();
  await model?.close();
});

const steps = [
  { description: "Write one.txt", checkpoint: { command: "test -f one.txt" } },
  { description: "Write two.txt", checkpoint: { command: "test -f two.txt" } },
];
const questions = [
  {
    id: "where",
    label: "Where",
    prompt: "Where do the files go?",
    type: "single_select",
    options: [{ label: "At the top" }, { label: "In docs" }],
  },
  {
    id: "words",
    label: "Words",
    prompt: "What stands in them?",
    type: "single_select",
    options: [{ label: "Nothing" }, { label: "Their names" }],
  },
];
const step = (id: string, status: string) => ({
  name: "update_plan",
  args: { steps: [{ id, status, ...(status === "done" ? { note: "Written" } : {}) }] },
});
const write = (path: string) => ({ name: "write_file", args: { path, content: "Hello\n", base: null } });

/** Each answer is one round. The last step is not done before the phone is in the lift. */
function script(inTheLift: Promise<unknown>): ModelReply[] {
  return [
    {
      calls: [
        { name: "set_plan", args: { goal: "Two files", steps } },
        { name: "ask_user", args: { questions } },
      ],
    },
    { calls: [{ name: "exit_plan", args: {} }] },
    {
      calls: [
        { name: "set_plan", args: { goal: "Two short files", steps } },
        { name: "exit_plan", args: {} },
      ],
    },
    { calls: [step("s1", "active"), write("one.txt")] },
    { calls: [step("s1", "done")] },
    { calls: [step("s2", "active"), write("two.txt")] },
    { calls: [step("s2", "done")], hold: inTheLift },
    { text: "Both files are there." },
  ];
}

async function openPlan(page: Page): Promise<void> {
  await page.getByRole("button", { name: "More about this session" }).click();
  await page.getByRole("dialog").getByText("Plan · version").click();
}

test("a whole day", { tags: "long" }, async () => {
  const { page, context, errors } = await openPhone(browser, { serviceWorker: true });
  const sheet = page.getByRole("dialog");
  let leaveLift = () => {};
  model.play(script(new Promise<void>((resolve) => (leaveLift = resolve))));
  await grant(page, front.url, 3_000_000);
  await pair(page, { url: front.url, token: product.token });

  // The plan asks two questions: a tap answers one, None and words answer the other.
  await newSession(page);
  await say(page, "/plan Write two files");
  await sheet.getByText("In docs").click();
  await sheet.getByRole("button", { name: "Next" }).click();
  await sheet.getByText("None of these").click();
  await sheet.getByRole("textbox", { name: "Your answer" }).fill("A greeting");
  await sheet.getByRole("button", { name: "Next" }).click();
  await sheet.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByText("What stands in them? A greeting").waitFor();

  // The plan is rejected with feedback, a step of the next version is edited, and the plan is approved.
  await page.getByRole("button", { name: "Reject" }).click();
  await page.getByRole("textbox", { name: "What should be different?" }).fill("Keep them short");
  await page.getByRole("button", { name: "Reject and plan again" }).click();
  await page.locator(".card.plan", { hasText: "Two short files" }).waitFor();
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByRole("button", { name: "As text" }).click();
  const text = page.getByRole("textbox", { name: "Text of the plan" });
  await text.fill((await text.inputValue()).replace("Write two.txt", "Write two.txt as well"));
  await page.getByRole("button", { name: "Keep" }).click();
  await page.getByRole("button", { name: "Approve and run" }).click();

  // The person watches until the lift takes the signal. The work continues, and the phone shows it
  // afterwards.
  await page.locator(".station.done", { hasText: "Write one.txt" }).waitFor();
  await context.setOffline(true);
  await page
    .getByText(/^(Offline|No connection)/)
    .first()
    .waitFor();
  await composer(page).fill("Half a thought");
  leaveLift();
  await model.request(8);
  await context.setOffline(false);
  await page.getByRole("heading", { name: "Finished" }).waitFor();
  await page.locator(".station.done", { hasText: "Write two.txt as well" }).waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });

  // The second step is undone: its file is removed, and the first step's file stays.
  await openPlan(page);
  await sheet.getByRole("button", { name: "Undo to before step 2" }).click();
  await sheet.getByRole("button", { name: "Undo to before step 2" }).click();
  await page
    .getByText(/You went back to before step 2/)
    .first()
    .waitFor();
  const session = page.url();
  await page.goto(`${session}/changes`);
  await page.getByText(/^1 file · /).waitFor();
  await page.goto(session);
  const words = await transcriptWords(page);

  // A second tab shows the same session.
  const second = await newTab(context, errors);
  await second.goto(session);
  await second.getByText("Here you can only read along").waitFor();
  expect(await transcriptWords(second)).toBe(words);
  await second.close();

  // Everything is exported to a file and imported on a fresh phone.
  await page.goto(`${front.url}/#/settings`);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByText("Export everything", { exact: true }).click(),
  ]);
  const other = await openPhone(browser, { serviceWorker: true });
  await pair(other.page, { url: front.url, token: product.token });
  await other.page.goto(`${front.url}/#/settings`);
  await other.page.locator("input[type=file]").setInputFiles(await savedDownload(download));
  await other.page.getByRole("button", { name: "Use its own workspace" }).click();
  await other.page.getByText("1 session added.").waitFor();
  await other.page.getByRole("button", { name: "Back" }).click();
  await other.page.locator(".session-line").click();
  await other.page.getByText("Both files are there.").waitFor();
  // Two kinds of rows differ after the import: notices that steer turns are left out, and the notice of an
  // undo is shown with the file's text. A file may be from a stranger, so the app must not word its claims
  // as its own.
  const itsOwn = /^(?:Looked at the repos|You went back to before step)/;
  const said = (text: string) => text.split(" | ").filter((part) => !itsOwn.test(part));
  const brought = await transcriptWords(other.page);
  expect(said(brought)).toEqual(said(words));
  expect(brought).toMatch(/You went back to before step 2 \(s2\)[^|]*now gone: two\.txt/);
  expect(await composer(other.page).inputValue()).toBe("Half a thought");
  await other.context.close();

  // The app reports full storage while a draft is typed, and stops once there is room.
  await page.goto(session);
  await fillUp(page);
  await composer(page).fill("Half a thought, and the rest");
  await composer(page).blur();
  const full = page.getByRole("alert").getByText("This device's storage is full.");
  await full.waitFor();
  await emptyAgain(page);
  await composer(page).press("End");
  await composer(page).pressSequentially("!");
  await composer(page).blur();
  await full.waitFor({ state: "detached" });

  // The app is updated while the draft is open.
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  front.update();
  await page.evaluate(async () => {
    await (await navigator.serviceWorker.getRegistration())?.update();
  });
  await page.getByText("A new version is ready.").waitFor();
  await Promise.all([
    page.waitForEvent("load"),
    page.getByRole("button", { name: "Reload", exact: true }).click(),
  ]);
  await page.getByText("Both files are there.").waitFor();
  expect(await composer(page).inputValue()).toBe("Half a thought, and the rest!");

  // An unreadable record is set aside and reported; the app and the session open nevertheless.
  await putKept(page, "segment/", [{ event: "message", id: "not a number" }]);
  await page.reload();
  await page.getByText("Part of this session could not be read from storage.").waitFor();
  expect(await composer(page).inputValue()).toBe("Half a thought, and the rest!");
  expect(errors).toEqual([]);
  await context.close();
});
