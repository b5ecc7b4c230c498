// Notifications in the page: they are offered at the right moment, set in Settings, tested with a receipt,
// and ended by Sign out.
// @module-tag long
import { expect } from "vitest";
import { NotifyOption } from "../../shared/push.ts";
import { gate } from "../harness/gate.ts";
import { newSession, pair, say } from "./phone.ts";
import { pushed, subscribed, test } from "./push-fixture.ts";
import { givePush, subscribedWith, workerOf } from "./push-phone.ts";

test("notifications are offered with the note that the phone can be locked, and the running turn already sends them", async ({
  phone,
  product,
  model,
  service,
}) => {
  const { page, context } = phone;
  const answer = gate();
  model.play([{ text: "Seen.", hold: answer.passed }]);
  await givePush(context, service.subscription);
  await pair(page, product);
  await workerOf(page);
  const offer = page.getByRole("button", { name: "Notify me" });
  await newSession(page);
  expect(await offer.count()).toBe(0);
  await say(page, "Look around.");
  await page.getByText("You can lock your phone now.").waitFor();
  // Larger text and a phone held sideways leave the space to the running turn.
  await offer.waitFor();
  const textSize = (size: string) =>
    page.evaluate((fontSize) => {
      document.documentElement.style.fontSize = fontSize;
    }, size);
  await textSize("200%");
  await offer.waitFor({ state: "detached" });
  await textSize("");
  await offer.waitFor();
  await page.setViewportSize({ width: 844, height: 390 });
  await offer.waitFor({ state: "detached" });
  await page.setViewportSize({ width: 390, height: 844 });
  await offer.click();
  await page.getByText("You are notified when it needs you or is done.").waitFor();
  // The value is in minutes. After this time the server notifies of a turn without readers, once it has
  // noticed that the page was closed.
  await page.goto(`${product.url}/#/settings`);
  await page.getByLabel("Also while it still runs").evaluate((input: HTMLInputElement) => {
    input.min = "0";
    input.step = "any";
  });
  const told = page.waitForResponse(/\/notify$/);
  await page.getByLabel("Also while it still runs").fill("0.002");
  await page.getByLabel("Also while it still runs").blur();
  expect((await told).status()).toBe(202);
  await page.goto("about:blank");
  expect(JSON.parse((await service.next()).text)).toMatchObject({ kind: "running" });
  answer.open();
  expect(JSON.parse((await service.next()).text)).toMatchObject({ kind: "end", line: "Done." });
});

test("the settings are sent with the next message, and a turn whose end is seen sends none", async ({
  phone,
  product,
  model,
  service,
}) => {
  model.play([{ text: "Done." }]);
  const page = await subscribed({ phone, product, model, service });
  const before = service.requests();
  await newSession(page);
  const posted = page.waitForRequest(/\/api\/turn$/);
  await say(page, "And now?");
  const { options } = (await posted).postDataJSON();
  expect(NotifyOption.parse(options.notify)).toEqual(service.subscription);
  await page.getByText("Done.").waitFor();
  expect(service.requests()).toBe(before);
});

test("a subscription that the push service expired at the end of a turn is renewed when its session is opened", async ({
  phone,
  product,
  model,
  service,
}) => {
  const parts = { phone, product, model, service };
  service.answer({ status: 410 });
  const answer = gate();
  model.play([{ text: "All done.", hold: answer.passed }]);
  const page = await subscribed(parts);
  await newSession(page);
  await say(page, "Go.");
  await page.getByText("You can lock your phone now.").waitFor();
  const at = page.url();
  await page.goto("about:blank");
  const before = service.requests();
  answer.open();
  await expect.poll(() => service.requests()).toBeGreaterThan(before);
  service.answer();
  await phone.context.clearCookies();
  const key = await subscribedWith(phone.context);
  expect(key).toBeUndefined();
  await page.goto(at);
  await page.getByText("All done.").waitFor();
  await expect.poll(() => subscribedWith(phone.context)).toBeDefined();
});

test("someone who declined is not asked again", { tags: "long" }, async ({
  phone,
  product,
  model,
  service,
}) => {
  const { page, context } = phone;
  const [first, second] = [gate(), gate()];
  model.play([
    { text: "Seen.", hold: first.passed },
    { text: "Done.", hold: second.passed },
  ]);
  await givePush(context, service.subscription);
  await pair(page, product);
  await newSession(page);
  await say(page, "Look around.");
  await page.getByRole("button", { name: "Not now" }).click();
  await page.getByText("You can lock your phone now.").waitFor();
  expect(await page.getByRole("button", { name: "Notify me" }).count()).toBe(0);
  first.open();
  await page.getByText("Seen.").waitFor();
  await say(page, "And now?");
  await page.getByText("You can lock your phone now.").waitFor();
  expect(await page.getByRole("button", { name: "Notify me" }).count()).toBe(0);
  second.open();
});

test("a phone that blocks notifications says so, and how to allow them", { tags: "long" }, async ({
  phone,
  product,
}) => {
  const { page } = phone;
  await page.addInitScript(() => {
    Object.defineProperty(Notification, "permission", { get: () => "denied" });
  });
  await pair(page, product);
  await page.goto(`${product.url}/#/settings`);
  await page.getByText("Notifications are blocked here. To allow them").waitFor();
  expect(await page.getByRole("button", { name: "Turn on" }).count()).toBe(0);
});

test("a test notification shows its receipt, and the push service's error", { tags: "long" }, async ({
  phone,
  product,
  model,
  service,
}) => {
  const parts = { phone, product, model, service };
  const page = await subscribed(parts);
  await page.goto(`${product.url}/#/settings`);
  await page.getByRole("button", { name: "Send a test" }).click();
  expect(await pushed(parts)).toMatchObject({ kind: "test" });
  await page.getByText(/^Arrived \d/).waitFor();
  service.answer({ status: 403 });
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByRole("alert").getByText("does not accept the server's VAPID keys").waitFor();
  service.answer();
});

test("a subscription that the browser has ended is renewed", { tags: "long" }, async ({
  phone,
  product,
  model,
  service,
}) => {
  const parts = { phone, product, model, service };
  const page = await subscribed(parts);
  const key = await subscribedWith(phone.context);
  expect(key).toBeDefined();
  await phone.context.clearCookies();
  await page.reload();
  await expect.poll(() => subscribedWith(phone.context)).toBe(key);
});

test("disabled kinds and quiet hours are sent with the next message", { tags: "long" }, async ({
  phone,
  product,
  model,
  service,
}) => {
  const parts = { phone, product, model, service };
  const page = await subscribed(parts);
  await page.goto(`${product.url}/#/settings`);
  await page.getByLabel("Finished").uncheck();
  await page.getByLabel("Quiet hours: nothing is sent").check();
  await page.getByLabel("To", { exact: true }).fill("06:30");
  await page.getByLabel("Also while it still runs").fill("15");
  await page.getByLabel("Also while it still runs").blur();
  model.play([{ text: "Done." }]);
  await page.goto(`${product.url}/#/`);
  await newSession(page);
  const posted = page.waitForRequest(/\/api\/turn$/);
  await say(page, "Go.");
  const { options } = (await posted).postDataJSON();
  const offset = await page.evaluate(() => new Date().getTimezoneOffset());
  const inUtc = (minute: number) => (minute + offset + 1_440) % 1_440;
  expect(options.notify).toEqual({
    ...service.subscription,
    kinds: ["questions", "proposal", "permission", "failure"],
    quiet: { from: inUtc(22 * 60), to: inUtc(6 * 60 + 30) },
    runningMinutes: 15,
  });
  await page.getByText("Done.").waitFor();
});

test("Sign out ends the subscription", { tags: "long" }, async ({ phone, product, model, service }) => {
  const page = await subscribed({ phone, product, model, service });
  await page.goto(`${product.url}/#/settings`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: /Delete everything/ }).click();
  await expect.poll(() => subscribedWith(phone.context)).toBeUndefined();
});
