// The phone signs in at a forge with a code instead of a token, and removes the token again.
// @module-tag long
import { expect } from "vitest";
import { startPlayedForge } from "../fakes/forge/forge-server.ts";
import { test as plain } from "./fixture.ts";
import { pair } from "./phone.ts";
import { shown } from "./shown-screen.ts";

const test = plain
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern that no other fixture is needed.
  .extend("running", { scope: "file" }, async ({}, { onCleanup }) => {
    const running = await startPlayedForge();
    onCleanup(() => running.close());
    return running;
  })
  .extend("serverEnv", { scope: "file" }, ({ running }) => ({
    HANDRAIL_FORGES: `github=${running.origin}`,
    HANDRAIL_GITHUB_CLIENT_ID: "played-client",
  }));

test("a device code is refused, then granted; its token lists repositories until Settings removes it", async ({
  page,
  product,
  running,
}) => {
  const { forge, origin } = running;
  const { host } = new URL(origin);
  await pair(page, product);
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("button", { name: `Add ${host}` }).click();
  const signIn = page.getByRole("button", { name: `Sign in at ${host}` });
  forge.device = "denied";
  await signIn.click();
  await page.getByText("WDJB-MJHT").waitFor();
  expect(await page.getByRole("link", { name: `${host}/login/device` }).getAttribute("href")).toBe(
    `${origin}/login/device`,
  );
  await shown(page, "forge-device");
  await page.getByText("Signing in was refused there.").waitFor();
  forge.device = "granted";
  await signIn.click();
  const takeAway = page.getByRole("button", { name: "Remove its token" });
  await takeAway.waitFor();
  await page.goto(`${product.url}/#/new`);
  await page.getByRole("button", { name: /^team\/app/ }).click();
  // The session is in team/app. Without it, the server would serve the sample project.
  await page.getByText("In team/app.").waitFor();

  await page.goto(`${product.url}/#/settings`);
  await takeAway.click();
  await page.getByText("No token is kept here.").waitFor();
  await page.goto(`${product.url}/#/new`);
  await page.getByRole("heading", { name: "New session" }).waitFor();
  expect(await page.getByRole("heading", { name: `From ${host}` }).count()).toBe(0);
});
