// A server that was just added in the settings is visible and has the focus, however many servers there are.
// @module-tag long
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { type FakeMcp, startMcpServer } from "../fakes/mcp-server.ts";
import { test as plain } from "./fixture.ts";
import { pair } from "./phone.ts";

const test = plain
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern that no other fixture is needed.
  .extend("server", { scope: "file" }, async ({}, { onCleanup }): Promise<FakeMcp> => {
    const tools = Array.from({ length: 12 }, (_, at) => ({ name: `tool_${at}`, description: "Does it." }));
    const server = await startMcpServer(tools);
    onCleanup(() => server.close());
    return server;
  })
  .extend("serverEnv", { scope: "file" }, ({ server }): Readonly<Record<string, string>> => {
    const servers = ["docs", "mail", "shop", "wiki"].map((name) => [name, { url: server.url }]);
    return { HANDRAIL_MCP: JSON.stringify(Object.fromEntries(servers)) };
  });

/**
 * Whether the row of server `name` has the focus and is completely visible, not covered by bars that are
 * fixed at the screen's edges.
 */
const isAtHand = (page: Page, name: string) =>
  page
    .locator(".mcp-server > summary")
    .filter({ hasText: name })
    .evaluate((row) => {
      const { top, bottom, left } = row.getBoundingClientRect();
      const seen = [top + 4, bottom - 4].every((y) => row.contains(document.elementFromPoint(left + 20, y)));
      return row === document.activeElement && seen;
    });

test("an added server is scrolled into view with the focus on it, and stays there", async ({
  page,
  product,
  server,
}) => {
  await pair(page, product);
  await page.getByRole("button", { name: "Settings" }).click();
  for (const name of ["wiki", "docs", "mail", "shop"]) {
    await page.getByRole("button", { name: `Use ${name} (` }).click();
    await expect.poll(() => isAtHand(page, name), { message: name }).toBe(true);
  }
  await page.getByRole("button", { name: "Add a server" }).click();
  await page.getByLabel("Name: small letters").fill("own");
  await page.getByLabel("Address").fill(server.url);
  await page.getByLabel("Address").press("Enter");
  await expect.poll(() => isAtHand(page, "own")).toBe(true);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "tool_0", exact: true }).waitFor();
  await page.getByText("Asking it for its tools…").waitFor({ state: "detached" });
  expect(await isAtHand(page, "own")).toBe(true);
});
