// The phone survives reloads, lost networks and a second tab. The edge is a stand-in whose turns wait for the
// test.
// @module-tag long
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { TurnBody } from "../../shared/session/turn-request.ts";
import { gate } from "../harness/gate.ts";
import type { FakeEdge, Played } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { composer, newSession, newTab, type Phone, pair, say, transcriptWords } from "./phone.ts";
import { assistant, message, started } from "./scene-messages.ts";
import { answering, executing, planning } from "./scenes.ts";
import { turnsStored } from "./stored-history.ts";

let edge: FakeEdge;
let phone: Phone;
let page: Page;

test.override({ serviceWorker: true, mayLogErrors: true });
test.beforeEach(async ({ edge: served, phone: opened }) => {
  edge = served;
  phone = opened;
  page = phone.page;
  await pair(page, edge);
});

/** A plan, its answers and its approval; the execution waits for `more` during its test. */
function day(more: Promise<unknown>) {
  return (body: TurnBody): Iterable<Played> => {
    if (body.input.type === "answers") return answering(body);
    return body.input.type === "approve" ? executing(body, more) : planning(body);
  };
}

async function toExecution(): Promise<void> {
  await newSession(page);
  await say(page, "/plan Limit each API token");
  const sheet = page.getByRole("dialog");
  await sheet.getByText("Sliding window").click();
  await sheet.getByRole("button", { name: "Next" }).click();
  await sheet.getByText("429").click();
  await sheet.getByRole("button", { name: "Next" }).click();
  await sheet.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByRole("button", { name: "Approve and run" }).click();
}

function* answer(body: TurnBody, ...middle: Played[]): Iterable<Played> {
  const text = body.input.type === "message" ? body.input.text : "";
  yield started(body);
  yield message("user", { content: text, mode: body.mode });
  yield* middle;
  yield assistant(body.mode, `Heard: ${text}`);
  yield { event: "turn.done", data: { reason: "stop", rounds: 1 } };
}

test("a reload in mid-turn resumes the turn, and the transcript ends as if nothing had happened", async () => {
  edge.play(day(Promise.resolve()));
  await toExecution();
  await page.getByRole("heading", { name: "Finished" }).waitFor();
  // The model's last words come after the step.
  await turnsStored(page);
  const undisturbed = await transcriptWords(page);

  const { passed, open } = gate();
  edge.play(day(passed));
  await page.goto(`${edge.url}/#/`);
  await toExecution();
  await page.getByText("limits after 100 requests").waitFor();
  await page.reload();
  await page.getByText("Running", { exact: true }).waitFor();
  open();
  await page.getByRole("heading", { name: "Finished" }).waitFor();
  await expect.poll(() => transcriptWords(page)).toBe(undisturbed);
  expect(edge.posts.filter(({ input }) => input.type === "approve")).toHaveLength(2);
  expect(edge.follows).toBe(1);
});

test("a broken stream is followed before anything is posted again", async () => {
  const { passed, open } = gate();
  edge.play((body) => answer(body, passed));
  await newSession(page);
  await say(page, "Hello");
  await page.getByText("Live").waitFor();
  await phone.context.setOffline(true);
  await page
    .getByText(/Reconnecting|Offline/)
    .first()
    .waitFor();
  await phone.context.setOffline(false);
  open();
  await page.getByText("Heard: Hello").waitFor();
  expect(edge.posts).toHaveLength(1);
  expect(edge.follows).toBeGreaterThan(0);
});

test("a dead runner's turn is claimed by the next attempt, with the same history", async () => {
  edge.play((body) => (body.attempt === 1 ? answer(body, "cut") : answer(body)));
  await newSession(page);
  await say(page, "Hello");
  await page.getByText("Heard: Hello").waitFor();
  expect(edge.posts.map(({ attempt }) => attempt)).toEqual([1, 2]);
  const [first, second] = edge.posts.map(({ attempt: _attempt, after: _after, ...rest }) => rest);
  expect(second).toEqual(first);
});

test("partial text that no message completes is gone after the reconnection", async () => {
  const partial: Played = { event: "text.delta", data: { messageId: "lost", delta: "Half a sen" } };
  edge.play((body) => (body.attempt === 1 ? answer(body, partial, "cut") : answer(body)));
  await newSession(page);
  await say(page, "Hello");
  await page.getByText("Heard: Hello").waitFor();
  await expect.poll(() => page.getByText("Half a sen").count()).toBe(0);
});

test("a message sent while a turn runs is queued, can be taken back, and is sent after the turn", async () => {
  const { passed, open } = gate();
  let turns = 0;
  edge.play((body) => {
    turns += 1;
    return turns === 1 ? answer(body, passed) : answer(body);
  });
  await newSession(page);
  await say(page, "First");
  await page.getByText("Live").waitFor();
  await say(page, "Second");
  await say(page, "Third");
  await page.getByText("2 messages waiting").click();
  await page.locator(".queued", { hasText: "Second" }).getByRole("button", { name: "Edit" }).click();
  await expect.poll(() => composer(page).inputValue()).toBe("Second");
  await page.reload();
  await page.locator(".queue", { hasText: "Third" }).waitFor();
  await expect.poll(() => composer(page).inputValue()).toBe("Second");
  await composer(page).fill("");
  open();
  await page.getByText("Heard: Third").waitFor();
  expect(edge.posts.map(({ input }) => input.type === "message" && input.text)).toEqual(["First", "Third"]);
});

test("a draft survives a reload", async () => {
  await newSession(page);
  await composer(page).fill("half a thought");
  await composer(page).blur();
  await page.reload();
  await expect.poll(() => composer(page).inputValue()).toBe("half a thought");
});

test("tapped answers survive a reload", async () => {
  edge.play(planning);
  await newSession(page);
  await say(page, "/plan it");
  await page.getByRole("dialog").getByText("Token bucket").click();
  await page.getByRole("dialog").getByRole("button", { name: "Next" }).click();
  await page.getByRole("dialog").getByText("Question 2 of 2").waitFor();
  await page.reload();
  await page.getByText("Question 2 of 2").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Back" }).click();
  await expect.poll(() => page.getByRole("radio", { name: /Token bucket/ }).isChecked()).toBe(true);
});

test("a second tab is read-only, and writes once it takes over", async () => {
  edge.play((body) => answer(body));
  await newSession(page);
  await say(page, "Hello");
  await page.getByText("Heard: Hello").waitFor();
  const second = await newTab(phone.context);
  await second.goto(page.url());
  await second.getByText("Here you can only read along").waitFor();
  await say(page, "Again");
  await second.getByText("Heard: Again").waitFor();
  await second.getByRole("button", { name: "Use it here" }).click();
  await page.getByText("Here you can only read along").waitFor();
  await say(second, "From here");
  await page.getByText("Heard: From here").waitFor();
});

test("without a connection nothing is shown as running, and the app does not say that the phone may be locked", async () => {
  const { passed, open } = gate();
  edge.play(day(passed));
  await toExecution();
  await page.getByText("You can lock your phone now.").waitFor();
  await phone.context.setOffline(true);
  await page.getByText(/Last seen running at .+ You will see the result/).waitFor();
  await expect.poll(() => page.getByText("You can lock your phone now.").count()).toBe(0);
  const ring = () =>
    page.locator(".station.active").evaluate((each) => getComputedStyle(each, "::after").animationName);
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await expect.poll(ring).toBe("none");
  await phone.context.setOffline(false);
  await page.getByText("You can lock your phone now.").waitFor();
  await expect.poll(ring).toBe("breathe");
  open();
  await page.getByRole("heading", { name: "Finished" }).waitFor();
});

test("a visible tab wins over a hidden one when it is reloaded", async () => {
  await newSession(page);
  const hidden = await newTab(phone.context);
  await hidden.addInitScript(() => {
    Object.defineProperty(document, "visibilityState", { get: () => "hidden" });
  });
  await hidden.goto(page.url());
  await hidden.getByText("Here you can only read along").waitFor();
  await page.reload();
  await composer(page).and(page.locator(":enabled")).waitFor();
  await hidden.getByText("Here you can only read along").waitFor();
});

test("a message that the server refuses is returned to the composer with the reason", async () => {
  await newSession(page);
  await page.route("**/api/turn", (route) =>
    route.fulfill({
      status: 400,
      contentType: "application/json",
      body: JSON.stringify({
        error: { code: "invalid_request", message: "input.text: too long.", retryable: false },
      }),
    }),
  );
  await say(page, "Hello");
  await page.getByRole("alert").getByText("Not sent: input.text: too long.").waitFor();
  await expect.poll(() => composer(page).inputValue()).toBe("Hello");
});

test("everything can be opened and read with the server gone", async () => {
  edge.play((body) => answer(body));
  await newSession(page);
  await say(page, "Hello");
  await page.getByText("Heard: Hello").waitFor();
  await turnsStored(page);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await phone.context.setOffline(true);
  await page.reload();
  await page.getByText("Heard: Hello").waitFor();
  await page.goto(`${edge.url}/#/`);
  await page.locator(".session-line", { hasText: "Hello" }).waitFor();
});
