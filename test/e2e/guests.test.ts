// A session whose sandbox is a guest of its own: the guest sleeps, wakes and may be gone, and the phone says
// so. The edge is a fake with the answers that a real one gives in the contract tests of engines.
// @module-tag long
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import type { SandboxAnswer } from "../../shared/api.ts";
import { gate } from "../harness/gate.ts";
import type { FakeEdge } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { composer, newSession, pair, say } from "./phone.ts";
import { answer } from "./scenes.ts";
import { shown } from "./shown-screen.ts";

type Told = Partial<SandboxAnswer>;

/** Lets the server have two engines, and report `told` about each sandbox. */
async function withGuests(page: Page, told: () => Told): Promise<void> {
  await page.route("**/api/config", async (route) => {
    const config = await (await route.fetch()).json();
    const engines = [{ name: "docker" }, { name: "e2b", costPerHour: 0.08 }];
    await route.fulfill({ json: { ...config, sandbox: { ...config.sandbox, engines } } });
  });
  await page.route(/\/api\/sandboxes\/sb\d+$/, (route) =>
    route.fulfill({ json: { sandboxId: "sb1", state: "ready", workspace: "", ...told() } }),
  );
}

async function begun(page: Page, edge: FakeEdge, told: () => Told): Promise<void> {
  await withGuests(page, told);
  await pair(page, edge);
  await newSession(page);
}

test("a new session runs where the person chooses, with the cost per hour shown", async ({ page, edge }) => {
  await withGuests(page, () => ({}));
  await pair(page, edge);
  await page.goto(`${edge.url}/#/new`);
  await page.getByRole("radio", { name: "e2b" }).check({ force: true });
  await page.getByText("$0.08 for an hour awake.", { exact: false }).waitFor();
  await shown(page, "guest-engines");
  await page.locator(".choice").first().click();
  await composer(page).waitFor();
  expect(edge.made.at(-1)).toMatchObject({ engine: "e2b", key: expect.any(String) });
});

test("a message to a sleeping sandbox stays visible, with how many seconds the sandbox has been waking", async ({
  page,
  edge,
}) => {
  let told: Told = { state: "asleep", guest: { engine: "docker" } };
  await begun(page, edge, () => told);
  await page.getByText("The sandbox is asleep and wakes when you send something.").waitFor();
  await shown(page, "guest-asleep");
  const awake = gate();
  await page.route("**/api/turn", async (route) => {
    told = { state: "starting", guest: { engine: "docker", startingMs: 4_200 } };
    await awake.passed;
    await route.continue();
  });
  edge.play(answer);
  await say(page, "Hello?");
  const notice = page.locator(".notice", { hasText: "Waking the sandbox" });
  await notice.getByText(/^[4-9] s$/).waitFor();
  await shown(page, "guest-waking");
  await composer(page).fill("And this");
  told = { state: "ready", guest: { engine: "docker" } };
  awake.open();
  await notice.waitFor({ state: "detached" });
  expect(edge.posts).toHaveLength(1);
});

test("for a sandbox that is gone the phone says what is lost, and offers its copy or other files", {
  tags: "long",
}, async ({ page, edge }) => {
  const at = Date.UTC(2026, 10, 20, 12, 0);
  let told: Told = { state: "gone", guest: { engine: "e2b", snapshotAt: at } };
  await begun(page, edge, () => told);
  const notice = page.getByRole("alert").filter({ hasText: "The sandbox of this session is gone" });
  await notice.getByText("what was changed later is lost", { exact: false }).waitFor();
  await shown(page, "guest-gone-copy");
  await page.route(/\/wake$/, async (route) => {
    told = { state: "ready", guest: { engine: "e2b" } };
    await route.fulfill({ status: 204 });
  });
  await notice.getByRole("button", { name: "Bring back the copy" }).click();
  await notice.waitFor({ state: "detached" });
  told = { state: "gone", guest: { engine: "e2b" } };
  await page.reload();
  await notice.getByText("were not committed and pushed are lost", { exact: false }).waitFor();
  await shown(page, "guest-gone");
  await notice.getByRole("button", { name: "Choose files" }).click();
  await page.getByText("to continue it, choose its files", { exact: false }).waitFor();
  await shown(page, "guest-choose-files");
});

test("an image that the repository names is used when the person agrees, and a failure is reported", {
  tags: "long",
}, async ({ page, edge }) => {
  let guest: Told["guest"] = { engine: "docker", wantsImage: "python:3.12" };
  await begun(page, edge, () => ({ guest }));
  const notice = page.locator(".notice", { hasText: "This repository names the image python:3.12" });
  const asked: string[] = [];
  await page.route(/\/wake/, async (route) => {
    asked.push(new URL(route.request().url()).search);
    if (asked.length === 1) {
      const error = { code: "invalid_request", message: "No session works in the image.", retryable: false };
      return route.fulfill({ status: 400, json: { error } });
    }
    guest = { engine: "docker", image: "python:3.12" };
    return route.fulfill({ status: 204 });
  });
  await notice.getByRole("button", { name: "Use this image" }).click();
  await notice.getByText("No session works in the image.", { exact: false }).waitFor();
  await shown(page, "guest-image");
  // On a small phone, too, the buttons are visible without scrolling.
  await page.setViewportSize({ width: 320, height: 568 });
  const bottomOf = async (part: Locator) => {
    const box = await part.boundingBox();
    return (box?.y ?? 0) + (box?.height ?? 0);
  };
  expect(await bottomOf(notice.getByRole("button", { name: "Not now" }))).toBeLessThanOrEqual(
    await bottomOf(notice),
  );
  await notice.getByRole("button", { name: "Use this image" }).click();
  await notice.waitFor({ state: "detached" });
  expect(asked).toEqual(["?image=python%3A3.12", "?image=python%3A3.12"]);
});

test("what an engine lost while the sandbox slept is shown until it is dismissed", async ({ page, edge }) => {
  const lostSince = Date.UTC(2026, 10, 20, 12, 0);
  await begun(page, edge, () => ({ guest: { engine: "e2b", lostSince } }));
  const notice = page.getByRole("alert").filter({ hasText: "was lost while it slept" });
  await notice.getByRole("button", { name: "Close" }).waitFor();
  await shown(page, "guest-lost");
  await notice.getByRole("button", { name: "Close" }).click();
  await notice.waitFor({ state: "detached" });
});

test("without capacity the place in the queue is shown, and the session starts without another tap", async ({
  page,
  edge,
}) => {
  await withGuests(page, () => ({}));
  await pair(page, edge);
  const keys: unknown[] = [];
  const room = gate();
  await page.route("**/api/sandboxes", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    keys.push(route.request().postDataJSON().key);
    if (keys.length > 1) {
      await room.passed;
      return route.continue();
    }
    const details = { reason: "capacity", place: 3, retryAfterSeconds: 0.2 };
    const error = { code: "rate_limited", message: "You are number 3 in line.", retryable: true, details };
    await route.fulfill({ status: 429, json: { error } });
  });
  await page.goto(`${edge.url}/#/new`);
  await page.locator(".choice").first().click();
  await page.getByText("You are number 3 in line", { exact: false }).waitFor();
  await shown(page, "guest-in-line");
  room.open();
  await composer(page).waitFor();
  expect(new Set(keys).size).toBe(1);
});
