// A command was refused a host: its card shows the host in full, a tap allows it, and another tap sends the
// agent back to the command.
// @module-tag long
import { mkdirSync } from "node:fs";
import { expect } from "vitest";
import { test } from "./fixture.ts";
import { say } from "./phone.ts";

const host = "registry.a-rather-long-name-of-a-company-that-hosts-its-own-packages.internal-tools.example";
test.override({ serverEnv: { HANDRAIL_NETWORK: "registries" } });

const asks = (id: string) => [
  { calls: [{ id, name: "run_command", args: { command: "sh get.sh" } }] },
  { text: "It was refused." },
];

test("a refused host is allowed from its card, and the next command can reach it", async ({
  model,
  session: page,
}) => {
  const script = `curl -sS -m 10 https://${host}/ -o /dev/null; curl -sS -m 10 -o /dev/null http://169.254.169.254/`;
  const write = { id: "w", name: "write_file", args: { path: "get.sh", content: script, base: null } };
  model.play([{ calls: [write] }, ...asks("one")]);
  await say(page, "Fetch it.");
  const card = page.locator(".card.call", { hasText: "sh get.sh" }).first();
  const shown = card.locator(".refused-hosts");
  await shown.waitFor();
  expect(await shown.locator("code").allTextContents()).toEqual([host, "169.254.169.254"]);
  // Only hosts that can be allowed have buttons, and the full name is visible at every width.
  expect(await shown.getByRole("button").count()).toBe(2);
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 568 });
    const { right, left } = await shown
      .locator("code")
      .first()
      .evaluate((element) => {
        const rects = [...element.getClientRects()];
        return { left: Math.min(...rects.map((r) => r.left)), right: Math.max(...rects.map((r) => r.right)) };
      });
    expect(left).toBeGreaterThanOrEqual(0);
    expect(right).toBeLessThanOrEqual(width);
    await look(`refused-${width}`);
  }
  await shown.getByRole("button", { name: `Allow ${host} once` }).click();
  await shown.getByRole("status").waitFor();
  expect(await shown.getByRole("status").textContent()).toBe(`Allowed for the next command: ${host}`);
  await look("allowed");
  model.play(asks("two"));
  await shown.getByRole("button", { name: `Tell the agent to try ${host} again` }).click();
  const second = page.locator(".card.call", { hasText: "sh get.sh" }).nth(1);
  await second.locator(".refused-hosts").waitFor();
  // The proxy lets the command through this time. The host does not exist and is unreachable, which is not a
  // refusal.
  expect(await second.locator(".refused-hosts code").allTextContents()).toEqual(["169.254.169.254"]);
  expect(await page.locator(".bubble").last().textContent()).toContain(
    `I allowed “${host}” for the next command.`,
  );

  async function look(name: string) {
    const folder = process.env.HANDRAIL_PICTURES;
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png` });
    }
  }
});
