// Events that the server no longer has, has in another form, or cannot write: the app says so in words, and
// the session continues.
// @module-tag long
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { gate } from "../harness/gate.ts";
import type { FakeEdge, Played } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { composer, newSession, type Phone, pair, say } from "./phone.ts";
import { assistant, call, message, started } from "./scene-messages.ts";
import { answer } from "./scenes.ts";
import { storedUnder, turnsStored } from "./stored-history.ts";

let edge: FakeEdge;
let phone: Phone;
let page: Page;

test.override({ mayLogErrors: true });
test.beforeEach(async ({ edge: served, phone: opened }) => {
  edge = served;
  phone = opened;
  page = phone.page;
  await pair(page, edge);
});

const events = "**/api/turns/*/*/events*";
const sse = (id: number, event: string, data: object) =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const stream = (body: string) => ({ status: 200, contentType: "text/event-stream", body });
const refusal = (status: number, code: string, text: string, details: object = {}) => ({
  status,
  contentType: "application/json",
  body: JSON.stringify({ error: { code, message: text, retryable: status >= 500, details } }),
});
const header = () => page.locator(".page-head");

/** A turn that has begun and then plays only `then`. */
function* begun(body: Parameters<typeof started>[0], ...then: Played[]): Iterable<Played> {
  yield started(body);
  yield message("user", { content: "Look", mode: body.mode });
  yield assistant(body.mode, "I look.", [call("c1", "read_file", { path: "a.ts" })]);
  yield* then;
}

test("an answer that the server no longer has ends its turn with a notice, and queued messages are sent", async () => {
  const { passed } = gate();
  edge.play((body) =>
    body.input.type === "message" && body.input.text === "Look" ? begun(body, passed) : answer(body),
  );
  await newSession(page);
  await say(page, "Look");
  await page.getByText("I look.").waitFor();
  await say(page, "Then this");
  await expect.poll(async () => JSON.stringify(await storedUnder(page, "outbox/"))).toContain("Then this");
  // Events 4 to 8 are lost; the end of the turn is still there.
  const gap = `event: gap\ndata: ${JSON.stringify({ from: 4, through: 8, message: "Not kept." })}\n\n`;
  const left = gap + sse(9, "turn.done", { reason: "stop", rounds: 2 });
  await page.route(events, (route) => route.fulfill(stream(left)));
  await page.reload();
  await page.getByRole("log").getByText("no longer keeps 5 entries after what you see above").waitFor();
  await page.getByText("Heard: Then this").waitFor();
  // The call whose result is lost gets a result that says so, since no server accepts a history with an open
  // call.
  const posted = edge.posts.at(-1)?.messages ?? [];
  const result = posted.find(({ role }) => role === "tool");
  expect(result?.content).toContain("not kept");
  expect(await page.getByText("Nothing is lost").count()).toBe(0);
});

test("a message whose turn the server no longer has from the start is returned to the composer", async () => {
  await newSession(page);
  await page.route("**/api/turn", (route) => route.abort());
  await page.route(events, (route) =>
    route.fulfill(stream(sse(7, "turn.done", { reason: "stop", rounds: 1 }))),
  );
  await say(page, "Remember me");
  await page.getByRole("log").getByText("The answer is gone").waitFor();
  await expect.poll(() => composer(page).inputValue()).toBe("Remember me");
});

test("a turn that nobody runs is shown as paused since its last sign of life, without a clock", async () => {
  const { passed, open } = gate();
  const partial: Played = { event: "text.delta", data: { messageId: "lost", delta: "Half a sen" } };
  edge.play((body) =>
    body.attempt === 1
      ? begun(body, partial, passed, "cut")
      : [...begun(body), ...[...answer(body)].slice(2)],
  );
  await newSession(page);
  await say(page, "Look");
  await page.getByText("Half a sen").waitFor();
  const post = gate();
  await page.route("**/api/turn", async (route) => {
    await post.passed;
    await route.continue();
  });
  open();
  const paused = /Paused since .+ · resuming/;
  await expect.poll(() => header().textContent()).toMatch(paused);
  expect(await page.locator(".card .time, .stop-line .time").allTextContents()).not.toContain(/\d s/);
  await page.getByRole("button", { name: "Back" }).click();
  await expect.poll(() => page.locator(".session-line").textContent()).toMatch(paused);
  await page.locator(".session-line").click();
  post.open();
  await page.getByText("Heard: Look").waitFor();
  await page.getByText("discarded. The model was asked again.").waitFor();
  await turnsStored(page);
  await page.reload();
  await page.getByText("discarded. The model was asked again.").waitFor();
});

const differs = (turnId: string, after: number, lastId: number) =>
  refusal(409, "history_differs", "The histories differ.", { turnId, after, lastId });

test("where the server has a different history the person decides: what the phone shows continues", async () => {
  edge.play((body) => answer(body));
  await newSession(page);
  await say(page, "First");
  await page.getByText("Heard: First").waitFor();
  const first = edge.posts[0]?.turnId ?? "";
  await page.route("**/api/turn", (route) => route.fulfill(differs(first, 4, 0)));
  await say(page, "Second");
  await expect.poll(() => header().textContent()).toContain("which history counts?");
  await page.unroute("**/api/turn");
  await page.reload();
  await page.getByText("Heard: Second").waitFor();
  let refused = false;
  await page.route("**/api/turn", (route) => {
    if (refused) return route.continue();
    refused = true;
    return route.fulfill(differs(first, 4, 0));
  });
  await say(page, "Third");
  await page.getByRole("button", { name: "Decide" }).click();
  const sheet = page.getByRole("dialog", { name: "Which history counts?" });
  await sheet.getByText("“First”").waitFor();
  await sheet.getByRole("button", { name: "What this phone shows" }).click();
  await page.getByText("Heard: Third").waitFor();
  expect(edge.posts.at(-1)?.counts).toBe("client");
  expect(await page.getByText("Heard: First").count()).toBe(1);
});

test("where the server's history counts, the turn is replaced on the phone by the server's", async () => {
  edge.play((body) => answer(body));
  await newSession(page);
  await say(page, "First");
  await page.getByText("Heard: First").waitFor();
  const { passed } = gate();
  edge.play((body) => begun(body, passed));
  await say(page, "Look");
  await page.getByText("I look.").waitFor();
  const turnId = edge.posts.at(-1)?.turnId ?? "";
  const there = [
    sse(1, "turn.started", started(edge.posts.at(-1) as never).data),
    sse(2, "message", message("user", { content: "Look", mode: "normal" }).data),
    sse(3, "message", assistant("normal", "The server's own.").data),
    sse(4, "turn.done", { reason: "stop", rounds: 1 }),
  ].join("");
  const asked: string[] = [];
  await page.route(events, (route) => {
    asked.push(new URL(route.request().url()).searchParams.get("after") ?? "");
    return route.fulfill(asked.length === 1 ? differs(turnId, 3, 4) : stream(there));
  });
  await page.reload();
  await page.getByRole("button", { name: "Decide" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "What the server has" }).click();
  await page.getByText("The server's own.").waitFor();
  await expect.poll(() => page.getByText("I look.").count()).toBe(0);
  expect(asked).toEqual(["3", "0"]);
  await turnsStored(page);
  await page.reload();
  await page.getByText("The server's own.").waitFor();
  expect(await page.getByText("Heard: First").count()).toBe(1);
  expect(await page.getByText("I look.").count()).toBe(0);
});

test("the server's full disk is reported in its own words, and the message is sent once there is room", async () => {
  const words = "The server's disk for state is full. Free some space there.";
  edge.play((body) => answer(body));
  await newSession(page);
  // The clock moves only in the steps below. The app's own retry comes 300 ms after the refusal, so it cannot come before
  // the tap, however slow the machine is.
  const now = Date.now();
  await page.clock.install({ time: now });
  await page.clock.pauseAt(now + 60_000);
  const answered = gate();
  await page.route("**/api/turn", async (route) => {
    await answered.passed;
    await route.fulfill(refusal(507, "disk_full", words));
  });
  const sent = page.waitForRequest("**/api/turn");
  await say(page, "Hello");
  await sent;
  // A bar that has just appeared takes no taps.
  await page.clock.runFor(1_000);
  await page.locator(".ask-bar:not([inert])").waitFor({ state: "attached" });
  answered.open();
  const drawn = async () => {
    await page.clock.runFor(20);
    return page.locator(".bar-words", { hasText: words }).count();
  };
  await expect.poll(drawn).toBe(1);
  const retry = page.getByRole("button", { name: "Retry" });
  await page.unroute("**/api/turn");
  const posted = page.waitForRequest("**/api/turn");
  await retry.click();
  await posted;
  await page.clock.resume();
  await page.getByText("Heard: Hello").waitFor();
});
