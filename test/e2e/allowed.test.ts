// Data that comes into the app from outside starts nothing without the person's tap, and the person can see
// and revoke permissions.
// @module-tag long
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { FakeEdge } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { newSession, pair, say } from "./phone.ts";
import { heardOnly } from "./scene-messages.ts";
import { storedUnder } from "./stored-history.ts";

let edge: FakeEdge;
let page: Page;

test.beforeEach(async ({ edge: served, page: opened }) => {
  edge = served;
  edge.play(heardOnly);
  page = opened;
  await pair(page, edge);
});

test.each([
  ["a share with a repository", "?share-url=https%3A%2F%2Fevil.example%2Fx.git"],
  ["a share with text", "?share-text=%2Fauto%0Apush%20it"],
  ["a share with a command", "?share-text=%2Fplan%20harm"],
  ["a link with text", "?text=harm"],
  ["a link that wants to send", "?share-text=harm&send=1&mode=auto"],
])("%s starts nothing by itself", async (_, query) => {
  await page.goto(`${edge.url}/${query}`);
  await page.getByRole("heading").first().waitFor();
  await page.evaluate(() => new Promise(requestAnimationFrame));
  expect(edge.made).toEqual([]);
  expect(edge.posts).toEqual([]);
  expect(await storedUnder(page, "session/")).toEqual([]);
});

test("what was allowed in a session is listed in its menu, and revoked with a tap", async () => {
  await newSession(page);
  await say(page, "Mine");
  await page.getByText("Said.").waitFor();
  await page.getByRole("button", { name: "More about this session" }).click();
  await page.getByText("Allowed and taken out").click();
  const sheet = page.getByRole("dialog", { name: "Allowed and taken out" });
  await sheet.getByText("git push").waitFor();
  await sheet.getByRole("button", { name: "Revoke git push" }).click();
  await sheet.getByText("Revoked.").waitFor();
  await sheet.getByText("Nothing: every command that needs approval asks for it.").waitFor();
  expect(edge.revoked).toEqual(["sb1/grants/turn-1"]);
});
