// A pairing link from a stranger: opening it loses nothing that works.
// @module-tag long
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { gate } from "../harness/gate.ts";
import type { FakeEdge } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { pair } from "./phone.ts";
import { everythingKept } from "./phone-storage.ts";

let edge: FakeEdge;
let page: Page;

test.beforeEach(async ({ edge: served, page: opened }) => {
  edge = served;
  page = opened;
});

const works = () =>
  page.getByRole("button", { name: "New session", exact: true }).and(page.locator(":enabled")).waitFor();
const openLink = (fragment: string) =>
  page.evaluate((hash) => {
    location.hash = hash;
  }, fragment);

test.each([
  "#pair=x",
  "#pair=another-token-of-thirty-two-characters",
  "#pair=%",
  "#pair=a%0Ab",
  "#pair=%E2%80%AEx",
])("%s never replaces a working token, in an open page or a new one", async (fragment) => {
  await pair(page, edge);
  await openLink(fragment);
  await page.getByRole("alert").getByText("The server rejects the new token").waitFor();
  expect(page.url()).not.toContain("pair=");
  expect(await everythingKept(page)).toContain(edge.token);
  await page.goto("about:blank");
  await page.goto(`${edge.url}/${fragment}`);
  await page.getByRole("alert").getByText("Nothing has changed here").waitFor();
  expect(page.url()).not.toContain("pair=");
  await page.getByRole("button", { name: "Dismiss" }).click();
  await works();
  expect(await everythingKept(page)).toContain(edge.token);
});

test("while a typed token is tried, the button says so; a wrong one keeps what was typed", async () => {
  await page.goto(edge.url);
  const tried = gate();
  await page.route("**/api/config", async (route) => {
    await tried.passed;
    await route.continue();
  });
  await page.getByLabel("Token or link").fill(`${edge.url}/#pair=a-token-of-yesterday`);
  await page.getByRole("button", { name: "Pair", exact: true }).click();
  const button = page.getByRole("button", { name: "Pairing…" });
  await button.waitFor();
  expect(await button.isDisabled()).toBe(true);
  tried.open();
  await page.getByText("This token is wrong").waitFor();
  await page.getByRole("button", { name: "Pair", exact: true }).and(page.locator(":enabled")).waitFor();
  expect(await page.getByLabel("Token or link").inputValue()).toContain("a-token-of-yesterday");
});

test("a token that could not be tested replaces none", async () => {
  await pair(page, edge);
  await page.route("**/api/**", (route) => route.abort());
  await openLink("#pair=another-token-of-thirty-two-characters");
  await page.getByRole("alert").getByText("there is no connection").waitFor();
  await page.unroute("**/api/**");
  await page.reload();
  await works();
  expect(await everythingKept(page)).toContain(edge.token);
});

test("where both work the person is asked, and keeps theirs unless they choose the other", async () => {
  await pair(page, edge);
  const other = "another-token-of-thirty-two-characters";
  // The server accepts both tokens, as it does behind a proxy that signs people in.
  await page.route("**/api/**", async (route) => {
    const headers = { ...route.request().headers(), authorization: `Bearer ${edge.token}` };
    await route.fulfill({ response: await route.fetch({ headers }) });
  });
  await openLink(`#pair=${other}`);
  await page.getByText("The pairing that you have works").waitFor();
  expect(await everythingKept(page)).not.toContain(other);
  await page.getByRole("button", { name: "Keep it" }).click();
  expect(await everythingKept(page)).not.toContain(other);
  await openLink(`#pair=${other}`);
  await page.getByRole("button", { name: "Pair again" }).click();
  await expect.poll(() => everythingKept(page)).toContain(other);
});

test("a token that the server has replaced is replaced by the new one without a question", async () => {
  await pair(page, edge);
  const old = "old-token-of-thirty-two-characters-x";
  await page.route("**/api/**", async (route) => {
    const given = route.request().headers().authorization;
    const becomes = given === `Bearer ${old}` ? edge.token : given === `Bearer ${edge.token}` ? "gone" : "x";
    const headers = { ...route.request().headers(), authorization: `Bearer ${becomes}` };
    await route.fulfill({ response: await route.fetch({ headers }) });
  });
  await openLink(`#pair=${old}`);
  await expect.poll(() => everythingKept(page)).toContain(old);
  await works();
});
