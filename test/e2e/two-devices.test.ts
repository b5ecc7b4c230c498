// One session on several devices, with the real product: an action on one device appears on the other without
// delay, only one device writes at a time, and a device that has only the token gets the whole session.
// @module-tag long
import type { Browser, Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import { type Product, startProduct } from "../harness/product.ts";
import { test } from "./fixture.ts";
import { composer, newSession, openFromServer, openPhone, pair, say, transcriptWords } from "./phone.ts";
import { storedUnder, turnsStored } from "./stored-history.ts";

let browser: Browser;
let demo: Product;

test.beforeAll(async ({ browser: shared }) => {
  browser = shared;
  demo = await startProduct();
});
afterAll(async () => {
  await demo?.close();
});

const task = "/plan Limit each token to 100 requests a minute. Keep the per-IP limit.";
const title = "Limit each token to 100 requests a minute";

/** Names the session that the page shows. */
async function named(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "More about this session" }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Name", { exact: true }).press("Enter");
  await page.keyboard.press("Escape");
}

/** The messages that a device has stored of its visible session, in order. */
async function storedMessages(page: Page): Promise<string[]> {
  await turnsStored(page);
  const id = /#\/s\/([^/]+)/.exec(page.url())?.[1] ?? "";
  const entries = (await storedUnder(page, `segment/${id}/`)).flat() as { data: { message?: unknown } }[];
  return entries.flatMap(({ data }) => (data.message === undefined ? [] : [JSON.stringify(data.message)]));
}

/** The composer of `page` accepts words; that of `other` says which device accepts them. */
async function writes(page: Page, other: Page): Promise<void> {
  await composer(page).and(page.locator(":enabled")).waitFor();
  expect(await page.getByText("Another device writes here.").count()).toBe(0);
  await other.getByText("Another device writes here.").waitFor();
  await composer(other).and(other.locator(":disabled")).waitFor();
}

test("a day on two devices: questions, plan and mode are synced, an answer on one closes the sheet on the other", async () => {
  const phone = await openPhone(browser);
  await pair(phone.page, demo);
  await newSession(phone.page);
  await say(phone.page, task);
  const asked = phone.page.getByRole("dialog").getByText("Which window should the limit use?");
  await asked.waitFor();

  const laptop = await openPhone(browser);
  await pair(laptop.page, demo);
  await openFromServer(laptop.page, title);
  await laptop.page.locator(".badge", { hasText: "PLAN" }).waitFor();
  const sheet = laptop.page.getByRole("dialog");
  await sheet.getByText("Fixed minute").click();
  await sheet.getByRole("button", { name: "Answer", exact: true }).click();

  // The question disappears although the phone was not touched.
  await asked.waitFor({ state: "detached" });
  await phone.page.getByText("You chose", { exact: true }).waitFor();
  const approve = (page: Page) => page.getByRole("button", { name: "Approve and run" });
  await approve(laptop.page).waitFor();
  await approve(phone.page).click();
  for (const { page } of [phone, laptop]) {
    await page.getByText("You approved the plan").waitFor();
    await page.getByRole("heading", { name: "Finished" }).waitFor();
    await expect.poll(() => page.locator(".station.done").count()).toBe(4);
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  }
  // One device writes; the other one takes over by a tap, and the first one says so. Then they change back.
  const reads = ({ page }: typeof phone) => page.getByRole("button", { name: "Use it here" });
  const first = await Promise.race(
    [phone, laptop].map((one) =>
      reads(one)
        .waitFor()
        .then(() => one),
    ),
  );
  const other = first === phone ? laptop : phone;
  await reads(first).click();
  await writes(first.page, other.page);
  await reads(other).click();
  await writes(other.page, first.page);
  expect(await storedMessages(laptop.page)).toEqual(await storedMessages(phone.page));
  expect(await transcriptWords(laptop.page)).toBe(await transcriptWords(phone.page));

  // A device that has only the token shows the server's final state.
  const third = await openPhone(browser);
  await pair(third.page, demo);
  await openFromServer(third.page, title);
  await third.page.getByRole("heading", { name: "Finished" }).waitFor();
  expect(await storedMessages(third.page)).toEqual(await storedMessages(phone.page));
  expect(await transcriptWords(third.page)).toBe(await transcriptWords(phone.page));
  expect([phone, laptop, third].flatMap(({ errors }) => errors)).toEqual([]);
  for (const { context } of [phone, laptop, third]) await context.close();
});

test("while one device's turn runs the other is read-only, takes over by a tap and stops it", {
  tags: "long",
}, async ({ product, model }) => {
  let speak: () => void = () => undefined;
  const hold = new Promise<void>((resolve) => {
    speak = resolve;
  });
  // The edge withholds the end of a stream until more text shows that it is not part of a secret.
  model.play([{ text: `The first words. ${"More words follow them. ".repeat(20)}`, hold, stall: true }]);
  const phone = await openPhone(browser);
  await pair(phone.page, product);
  await newSession(phone.page);
  // The list of the other device is read when it opens: the server has to know the session by then.
  const begun = phone.page.waitForResponse(/\/api\/turn$/);
  await say(phone.page, "Explain the gateway");
  await begun;
  const laptop = await openPhone(browser);
  await pair(laptop.page, product);
  await openFromServer(laptop.page, "Explain the gateway");
  await laptop.page.getByText("Another device is running this.").waitFor();
  speak();
  await phone.page.getByText(/The first words/).waitFor();
  await laptop.page.getByText(/The first words/).waitFor();
  // A device that joins in the middle of the answer gets it from its beginning.
  const third = await openPhone(browser);
  await pair(third.page, product);
  await openFromServer(third.page, "Explain the gateway");
  await third.page.getByText(/The first words/).waitFor();
  await third.context.close();
  await composer(laptop.page).and(laptop.page.locator(":disabled")).waitFor();
  await laptop.page.getByRole("button", { name: "Use it here" }).click();
  await composer(laptop.page).and(laptop.page.locator(":enabled")).waitFor();
  await laptop.page.getByRole("button", { name: "Stop" }).click();
  for (const { page } of [phone, laptop])
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  model.play([{ text: "Here it is." }]);
  await say(laptop.page, "Shorter, please");
  await phone.page.locator(".bubble", { hasText: "Shorter, please" }).waitFor();
  await phone.page.getByText("Here it is.").waitFor();
  for (const { context } of [phone, laptop]) await context.close();
});

test("a message from a device that missed a turn is not run: the device shows the turn and returns the message", {
  tags: "long",
}, async ({ product, model }) => {
  model.play([{ text: "First answer." }]);
  const phone = await openPhone(browser);
  await pair(phone.page, product);
  await newSession(phone.page);
  await say(phone.page, "Begin with the tests");
  await phone.page.getByText("First answer.").waitFor();
  await turnsStored(phone.page);
  const laptop = await openPhone(browser);
  await pair(laptop.page, product);
  await openFromServer(laptop.page, "Begin with the tests");
  // The phone receives nothing while its server does not answer, and its message waits.
  await phone.context.setOffline(true);
  await say(phone.page, "From the phone");
  model.play([{ text: "Second answer." }]);
  await laptop.page.getByRole("button", { name: "Use it here" }).click();
  await say(laptop.page, "From the laptop");
  await laptop.page.getByText("Second answer.").waitFor();
  await turnsStored(laptop.page);
  const before = model.requests.length;
  await phone.context.setOffline(false);
  await phone.page.getByText("went on meanwhile, on another device").waitFor();
  await phone.page.getByText("Second answer.").waitFor();
  await expect.poll(() => composer(phone.page).inputValue()).toBe("From the phone");
  expect(model.requests.length).toBe(before);
  for (const { context } of [phone, laptop]) await context.close();
});

test("a title and undo points made on one device are on the other, and on one that is added later", async ({
  product,
  model,
}) => {
  model.play([{ text: "First answer." }, { text: "Second answer." }]);
  const phone = await openPhone(browser);
  await pair(phone.page, product);
  await newSession(phone.page);
  await say(phone.page, "Begin with the names");
  await phone.page.getByText("First answer.").waitFor();
  await turnsStored(phone.page);
  const laptop = await openPhone(browser);
  await pair(laptop.page, product);
  await openFromServer(laptop.page, "Begin with the names");
  await say(phone.page, "Go on");
  await laptop.page.getByText("Second answer.").waitFor();
  await named(phone.page, "The gateway's tests");
  await laptop.page.getByRole("heading", { name: "The gateway's tests" }).waitFor();
  const third = await openPhone(browser);
  await pair(third.page, product);
  await openFromServer(third.page, "The gateway's tests");
  const points = async (page: Page) =>
    ((await storedUnder(page, "session/"))[0] as { undoPoints?: { text: string }[] }).undoPoints?.map(
      ({ text }) => text,
    );
  for (const { page } of [phone, laptop, third])
    await expect.poll(() => points(page)).toEqual(["Begin with the names", "Go on"]);
  for (const { context } of [phone, laptop, third]) await context.close();
});

test("what is deleted on one device is gone on the server, and the other says so; what a sign-out removed comes back", {
  tags: "long",
}, async ({ product, model }) => {
  model.play([{ text: "Kept on the server." }]);
  const phone = await openPhone(browser);
  await pair(phone.page, product);
  await newSession(phone.page);
  await say(phone.page, "Keep this one");
  await phone.page.getByText("Kept on the server.").waitFor();
  await turnsStored(phone.page);
  const before = await storedMessages(phone.page);

  await phone.page.goto(`${product.url}/#/settings`);
  await phone.page.getByRole("button", { name: "Sign out" }).click();
  await phone.page.getByRole("button", { name: "Delete everything here: tap again" }).click();
  await phone.page.getByRole("heading", { name: "Pair this device" }).waitFor();
  await pair(phone.page, product);
  await openFromServer(phone.page, "Keep this one");
  expect(await storedMessages(phone.page)).toEqual(before);

  const laptop = await openPhone(browser);
  await pair(laptop.page, product);
  await openFromServer(laptop.page, "Keep this one");
  const sandboxId = ((await storedUnder(laptop.page, "session/"))[0] as { sandboxId: string }).sandboxId;
  await fetch(`${product.url}/api/sandboxes/${sandboxId}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${product.token}` },
  });
  for (const { page } of [phone, laptop]) {
    await page.getByText("This session was deleted on another device").waitFor();
    await page.getByText("Kept on the server.").waitFor();
    await composer(page).and(page.locator(":disabled")).waitFor();
  }
  for (const { context } of [phone, laptop]) await context.close();
});

test("the list shows without a tap which sessions another device has begun", async () => {
  const laptop = await openPhone(browser);
  await laptop.page.clock.install();
  const listed = laptop.page.waitForResponse(/\/api\/sandboxes$/);
  await pair(laptop.page, demo);
  await listed;
  await laptop.page.clock.pauseAt(Date.now() + 1_000);
  const phone = await openPhone(browser);
  await pair(phone.page, demo);
  await newSession(phone.page);
  await say(phone.page, "Tell me what this is");
  await turnsStored(phone.page);
  const line = laptop.page.locator(".server-line", { hasText: "Tell me what this is" });
  await laptop.page.clock.fastForward(31_000);
  await line.waitFor();
  await laptop.context.close();
  await phone.context.close();
});
