// Notifications in Chromium with its own service worker: their text, the window that a tap opens, and that an
// answer is given only once, even on a bad connection.
import type { Worker } from "playwright-core";
import { expect } from "vitest";
import type { ModelServer } from "../fakes/model-server.ts";
import { leftAsking, test } from "./push-fixture.ts";
import { backOnline, deliver, shownBy, tap } from "./push-phone.ts";

const push = { calls: [{ id: "c1", name: "run_command", args: { command: "git push origin main" } }] };
const asksFor = (...options: string[]) => {
  const questions = [{ label: "Database", prompt: "Which database?", options }];
  return { calls: [{ id: "c1", name: "ask_user", args: { summary: "Nothing is stored yet.", questions } }] };
};

const once = "Allow once";

/** Waits until the visible notifications match `wanted`. */
async function shows(worker: Worker, wanted: object[]): Promise<void> {
  await expect.poll(() => shownBy(worker)).toEqual(wanted.map((one) => expect.objectContaining(one)));
}

/** The message that told the model of the person's decisions. */
function toldOf(model: ModelServer): unknown {
  return model.requests.at(-1)?.body.messages.findLast(({ role }) => role === "tool")?.content;
}

test("a permission is decided from its notification, once even when tapped twice", { tags: "long" }, async ({
  phone,
  product,
  model,
  service,
}) => {
  const parts = { phone, product, model, service };
  const { worker, tag, end } = await leftAsking(parts, push, [{ text: "Pushed." }]);
  const title = "Go on, please";
  await shows(worker, [
    { title, tag, body: "May it run this? git push origin main", actions: [once, "Deny"] },
  ]);
  const before = model.requests.length;
  await tap(worker, tag, "once", 2);
  expect(await end()).toMatchObject({ kind: "end" });
  await shows(worker, [{ title, tag, body: "Done.", actions: [] }]);
  expect(model.requests).toHaveLength(before + 1);
  expect(toldOf(model)).toContain("exit ");
  // The phone has the whole turn, and the app removes notifications that the person has read.
  await phone.page.goto(`${product.url}/#/${tag.replace("session", "s")}`);
  await phone.page.getByText("Pushed.").waitFor();
  await shows(worker, []);
});

test("a helper that waits for it when it is answered still runs", { tags: "long" }, async ({
  phone,
  product,
  model,
  service,
}) => {
  const parts = { phone, product, model, service };
  const helped = { id: "c2", name: "explore", args: { task: "Look around" } };
  const asks = { calls: [...push.calls, helped] };
  const { worker, tag, end } = await leftAsking(parts, asks, [{ text: "It looked." }, { text: "Pushed." }]);
  await shows(worker, [{ tag }]);
  await tap(worker, tag, "once");
  expect(await end()).toMatchObject({ kind: "end" });
  expect(toldOf(model)).toContain("It looked.");
});

test("Deny reaches the model", { tags: "long" }, async ({ phone, product, model, service }) => {
  const parts = { phone, product, model, service };
  const { worker, tag, end } = await leftAsking(parts, push, [{ text: "Left alone." }]);
  await shows(worker, [{ tag }]);
  await tap(worker, tag, "deny");
  expect(await end()).toMatchObject({ kind: "end" });
  expect(toldOf(model)).toContain("denied by the person");
});

test("a choice of two is answered by its button", { tags: "long" }, async ({
  phone,
  product,
  model,
  service,
}) => {
  const parts = { phone, product, model, service };
  const asks = asksFor("Postgres", "SQLite");
  const { worker, tag, end } = await leftAsking(parts, asks, [{ text: "SQLite it is." }]);
  await shows(worker, [
    { body: "Nothing is stored yet. Which database? Postgres or SQLite", actions: ["Postgres", "SQLite"] },
  ]);
  await tap(worker, tag, "1");
  expect(await end()).toMatchObject({ kind: "end" });
  expect(toldOf(model)).toContain("SQLite");
});

test("an answer without a connection is stored, says so, and is sent once when there is one", {
  tags: "long",
}, async ({ phone, product, model, service }) => {
  const parts = { phone, product, model, service };
  const { worker, tag, end } = await leftAsking(parts, push, [{ text: "Pushed." }]);
  await shows(worker, [{ tag }]);
  // This page has the same origin but is not the app. Without an open page, Chromium guarantees no background
  // sync.
  await phone.page.goto(`${product.url}/icon.svg`);
  await phone.context.setOffline(true);
  await tap(worker, tag, "once", 2);
  await shows(worker, [
    { tag, body: `“${once}” is kept and is sent when there is a connection.`, actions: [] },
  ]);
  const before = model.requests.length;
  await phone.context.setOffline(false);
  await backOnline(phone.page, product.url, "answers");
  expect(await end()).toMatchObject({ kind: "end" });
  await backOnline(phone.page, product.url, "answers");
  expect(model.requests).toHaveLength(before + 1);
});

test("a stored answer is sent when the app is opened", { tags: "long" }, async ({
  phone,
  product,
  model,
  service,
}) => {
  const parts = { phone, product, model, service };
  const { worker, tag, sessionId, resume } = await leftAsking(parts, push, [{ text: "Pushed." }]);
  resume();
  await shows(worker, [{ tag }]);
  await phone.context.setOffline(true);
  await tap(worker, tag, "once");
  await shows(worker, [{ body: `“${once}” is kept and is sent when you open Handrail.` }]);
  await phone.context.setOffline(false);
  await phone.page.goto(`${product.url}/#/s/${sessionId}`);
  await phone.page.getByText("Pushed.").waitFor();
});

test("what was decided meanwhile is not decided again, and the notification says so", {
  tags: "long",
}, async ({ phone, product, model, service }) => {
  const parts = { phone, product, model, service };
  const { worker, tag, news, sessionId, resume } = await leftAsking(parts, push, [{ text: "As you say." }]);
  resume();
  await shows(worker, [{ tag }]);
  await phone.page.goto(`${product.url}/#/s/${sessionId}`);
  await phone.page.getByRole("button", { name: "Deny…" }).click();
  await phone.page.getByRole("dialog").getByRole("button", { name: "Deny" }).click();
  await phone.page.getByText("As you say.").waitFor();
  await phone.page.goto("about:blank");
  const before = model.requests.length;
  // The push service delivers this message late.
  await deliver(phone.page, product.url, JSON.stringify(news));
  await shows(worker, [{ tag }]);
  await tap(worker, tag, "once");
  await shows(worker, [{ body: `“${once}” was not sent: the question is no longer open.` }]);
  expect(model.requests).toHaveLength(before);
});

test("a tap opens that question, in the open window or in a new one", { tags: "long" }, async ({
  phone,
  product,
  model,
  service,
}) => {
  const parts = { phone, product, model, service };
  const { page } = phone;
  const { worker, tag, news, sessionId } = await leftAsking(parts, asksFor("Postgres", "SQLite", "MySQL"));
  await shows(worker, [{ tag, body: "Which database?", actions: [] }]);
  const opened = await tap(worker, tag);
  expect(opened).toBe(`/#/s/${sessionId}/asked`);
  await page.goto(`${product.url}${opened}`);
  const sheet = page.getByRole("dialog");
  await sheet.getByText("Which database?").waitFor();
  expect(new URL(page.url()).hash).toBe(`#/s/${sessionId}`);
  await page.keyboard.press("Escape");
  await sheet.waitFor({ state: "detached" });
  // The person is on another page of the app.
  await page.goto(`${product.url}/#/settings`);
  await deliver(page, product.url, JSON.stringify(news));
  await shows(worker, [{ tag }]);
  await page.evaluate(() => Object.assign(window, { stays: true }));
  expect(await tap(worker, tag)).toBeUndefined();
  await sheet.getByText("Which database?").waitFor();
  expect(await page.evaluate(() => "stays" in window)).toBe(true);
});

test("a notification that cannot show everything has no buttons", { tags: "long" }, async ({
  phone,
  product,
  model,
  service,
}) => {
  const parts = { phone, product, model, service };
  const { worker, tag, news } = await leftAsking(parts, push);
  await shows(worker, [{ tag, actions: [once, "Deny"] }]);
  const line = "May it run this? git push \u202emain nigiro";
  await deliver(phone.page, product.url, JSON.stringify({ ...news, line }));
  await shows(worker, [{ tag, body: "May it run this? git push ⟨U+202E⟩main nigiro", actions: [] }]);
});
