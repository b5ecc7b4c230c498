// The storage of the phone is full, by Chromium's own quota: the app says so, loses nothing, and offers a way
// out.
// @module-tag long
import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";
import { afterAll, expect } from "vitest";
import { type FakeEdge, startFakeEdge } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { composer, newSession, openPhone, pair, say } from "./phone.ts";
import { fillUp, grant } from "./phone-storage.ts";
import { savedDownload } from "./saved-download.ts";
import { answer } from "./scenes.ts";

let browser: Browser;
let edge: FakeEdge;

test.beforeAll(async ({ browser: shared }) => {
  browser = shared;
  edge = await startFakeEdge();
  edge.play(answer);
});
afterAll(async () => {
  await edge?.close();
});

test("full storage is reported, what is typed stays, and deleting a session makes room for what was not stored", async () => {
  const { page, context, errors } = await openPhone(browser, { serviceWorker: true });
  const full = page.getByRole("alert").getByText("This device's storage is full.");
  await grant(page, edge.url, 2_000_000);
  await pair(page, edge);
  await newSession(page);
  const random = () => Buffer.from(crypto.getRandomValues(new Uint8Array(50_000))).toString("hex");
  await page.getByLabel("Attach files").setInputFiles(
    ["a", "b"].map((name) => ({
      name: `${name}.txt`,
      mimeType: "text/plain",
      buffer: Buffer.from(random().slice(0, 99_000)),
    })),
  );
  await page.getByRole("button", { name: "Remove b.txt" }).waitFor();
  await say(page, "Large");
  await page.getByText("Heard: Large").waitFor();
  await page.getByRole("button", { name: "Back" }).click();
  await newSession(page);
  await say(page, "Kept");
  await page.getByText("Heard: Kept").waitFor();

  await fillUp(page);
  await composer(page).fill("Typed while it is full");
  await composer(page).blur();
  await full.waitFor();
  await page.reload();
  await page.getByText("Heard: Kept").waitFor();
  await expect.poll(() => composer(page).inputValue()).toBe("Typed while it is full");
  const posted = edge.posts.length;
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("alert").getByText("Not sent: this device's storage is full").waitFor();
  await expect.poll(() => composer(page).inputValue()).toBe("Typed while it is full");
  expect(edge.posts).toHaveLength(posted);
  await page.getByRole("button", { name: "Send anyway" }).click();
  await page.getByText("Heard: Typed while it is full").waitFor();
  await full.waitFor();
  // The phone does not know that the message was sent. The server does, by the turn's id.
  await page.reload();
  await page.getByText("Heard: Typed while it is full").waitFor();
  await expect.poll(() => composer(page).inputValue()).toBe("");
  await full.waitFor();
  expect(edge.posts).toHaveLength(posted + 1);

  await page.getByRole("button", { name: "Make room" }).click();
  await page.locator("#storage").getByText("swipe a session in the list to the left").waitFor();
  await page.getByText("Dark", { exact: true }).click();
  const unkept = page.getByRole("alert").getByText("What you set now is lost when Handrail is closed");
  await unkept.waitFor();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("region", { name: "Sessions" }).waitFor({ state: "attached" });
  await expect.poll(() => unkept.count()).toBe(1);
  await page.setViewportSize({ width: 390, height: 844 });
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Export everything" }).click(),
  ]);
  expect(await readFile(await savedDownload(download), "utf8")).toContain("Heard: Typed while it is full");
  await page.getByRole("button", { name: "Back" }).click();
  await page.getByRole("button", { name: "Back" }).click();
  await unkept.waitFor();
  await page.getByRole("button", { name: "New session", exact: true }).click();
  await page.locator("footer").getByText("full, so the session was not made.").waitFor();
  await page.clock.install();
  await page.locator(".session-line", { hasText: "Large" }).click({ button: "right" });
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("“Large” is deleted.").waitFor();
  await page.clock.fastForward(13_000);
  await expect.poll(() => edge.deleted.length).toBe(2);
  await unkept.waitFor({ state: "detached" });
  await page.locator(".session-line", { hasText: "Kept" }).click();
  await page.getByText("Heard: Typed while it is full").waitFor();
  await full.waitFor({ state: "detached" });
  await page.reload();
  await page.getByText("Heard: Typed while it is full").waitFor();
  expect(await page.locator(".session-line", { hasText: "Large" }).count()).toBe(0);
  expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
  expect(errors).toEqual([]);
  await context.close();
});
