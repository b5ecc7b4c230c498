// The server goes away and comes back while the phone is not touched: the list and an open session show both
// without a tap.
// @module-tag long
import { expect } from "vitest";
import { gate } from "../harness/gate.ts";
import { test } from "./fixture.ts";
import { newSession, newTab, pair, say } from "./phone.ts";
import { heardOnly } from "./scene-messages.ts";
import { answering, executing } from "./scenes.ts";

test.override({ serviceWorker: true, mayLogErrors: true });

test("the list and an open session say that the server does not answer, and when it is back", async ({
  phone,
  edge,
}) => {
  const { page: session, context } = phone;
  await pair(session, edge);
  edge.play((body) => answering(body));
  await newSession(session);
  await say(session, "/plan Limit tokens");
  await session.getByRole("button", { name: "Approve and run" }).waitFor();
  const list = await newTab(context);
  await list.goto(`${edge.url}/#/`);
  await list.locator(".session-line").first().waitFor();

  // The app shows "Back" for a few seconds only, so the test watches both tabs at the same time.
  const both = (words: string) => Promise.all([session, list].map((page) => page.getByText(words).waitFor()));
  await context.route("**/api/**", (route) => route.abort());
  await both("Nothing is lost; the app keeps trying.");
  await context.unroute("**/api/**");
  await both("Your server is back.");
  // The approval that waited for the person still waits.
  await session.getByRole("button", { name: "Approve and run" }).waitFor();
});

test("what ran when the server went away is not shown as running until the server is back", async ({
  page,
  edge,
}) => {
  const { passed, open } = gate();
  edge.play((body) => (body.input.type === "approve" ? executing(body, passed) : answering(body)));
  await pair(page, edge);
  await newSession(page);
  await say(page, "/plan Limit tokens");
  await page.getByRole("button", { name: "Approve and run" }).click();
  const call = page.locator(".now-calls summary b");
  const list = await newTab(page.context());
  await list.goto(`${edge.url}/#/`);
  await list.locator(".session-line.running").waitFor();
  await expect.poll(() => call.allTextContents()).toEqual(["Running"]);
  await page.context().setOffline(true);
  await expect.poll(() => call.allTextContents()).toEqual(["Was running"]);
  await list.locator(".session-line:not(.running)", { hasText: "Last heard: Step 2 of 4" }).waitFor();
  await page.context().setOffline(false);
  await list.locator(".session-line.running").waitFor();
  await expect.poll(() => call.allTextContents()).toEqual(["Running"]);
  open();
  await page.getByRole("heading", { name: "Finished" }).waitFor();
});

test("a message that is being sent does not show the time of the previous turn", async ({ page, edge }) => {
  edge.play((body) => heardOnly(body));
  await pair(page, edge);
  await newSession(page);
  await say(page, "First");
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
  await page.locator(".page-head .clock").waitFor();
  const arrival = gate();
  await page.route("**/api/turn", async (route) => {
    await arrival.passed;
    await route.continue();
  });
  await say(page, "Second");
  await page.locator(".now-thinks", { hasText: "Sending" }).waitFor();
  expect(await page.locator(".page-head .clock, .now-title .time").count()).toBe(0);
  arrival.open();
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
  await page.locator(".page-head .clock").waitFor();
});

test("a message that is written without a connection is not shown as being sent", async ({ page, edge }) => {
  edge.play((body) => heardOnly(body));
  await pair(page, edge);
  await newSession(page);
  await page.context().setOffline(true);
  await say(page, "Does the readme say it?");
  await page.getByText("Not sent yet", { exact: true }).waitFor();
  expect(await page.getByText("Sending…").count()).toBe(0);
  await page.context().setOffline(false);
  await page.getByText("Not sent yet", { exact: true }).waitFor({ state: "detached" });
});
