// The composer takes more than typed words: files, earlier messages and speech. A reload loses none of these.
// @module-tag long
import type { Browser, Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import { type FakeEdge, startFakeEdge } from "./fake-edge.ts";
import { test } from "./fixture.ts";
import { composer, newSession, openPhone, pair, say } from "./phone.ts";
import { assistant, message, started } from "./scene-messages.ts";
import { storedUnder } from "./stored-history.ts";

let browser: Browser;
let edge: FakeEdge;

test.beforeAll(async ({ browser: shared }) => {
  browser = shared;
  edge = await startFakeEdge();
  edge.play(function* (body) {
    const { input } = body;
    yield started(body);
    if (input.type === "message")
      yield message("user", {
        content: input.text,
        mode: "normal",
        ...(input.attachments ? { attachments: input.attachments } : {}),
      });
    yield assistant("normal", "Seen.\n\n```ts\nconst a = 1;\n```");
    yield { event: "turn.done", data: { reason: "stop", rounds: 1 } };
  });
});
afterAll(async () => {
  await edge?.close();
});

async function open(keyboard = false): Promise<Page> {
  const { page } = await openPhone(browser, { keyboard });
  await pair(page, edge);
  await newSession(page);
  return page;
}

/** A PNG of the given size, drawn by the browser. */
async function png(page: Page, width: number, height: number): Promise<Buffer> {
  const url = await page.evaluate(
    ([w, h]) => {
      const canvas = document.createElement("canvas");
      canvas.width = w ?? 1;
      canvas.height = h ?? 1;
      canvas.getContext("2d")?.fillRect(0, 0, 100, 100);
      return canvas.toDataURL("image/png");
    },
    [width, height],
  );
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

test("commands of the project are in the menu with their arguments, and are sent as typed", async () => {
  const page = await open();
  await say(page, "Hello");
  await page.getByText("Seen.").waitFor();
  await composer(page).fill("/");
  await page.getByRole("button", { name: "/git:tidy Squashes what belongs together" }).waitFor();
  await composer(page).fill("/rev");
  await page.getByRole("button", { name: "/review [file] Reviews a file" }).tap();
  expect(await composer(page).inputValue()).toBe("/review ");
  await say(page, "/review src/a.ts");
  await expect.poll(() => edge.posts.at(-1)?.input).toEqual({ type: "message", text: "/review src/a.ts" });
  await page.context().close();
});

test("an image is scaled down on the phone and sent with the message, text is sent as text; both survive a reload", async () => {
  const page = await open();
  const files = page.getByLabel("Attach files");
  await files.setInputFiles([
    { name: "screen.png", mimeType: "image/png", buffer: await png(page, 4000, 2000) },
    { name: "notes.md", mimeType: "text/markdown", buffer: Buffer.from("# Notes\nline") },
  ]);
  await page.getByRole("button", { name: "Remove screen.png" }).waitFor();
  // The chip appears before its file is stored.
  await expect
    .poll(() => storedUnder(page, "draft/"))
    .toMatchObject([{ attachments: [{ name: "screen.png" }, { name: "notes.md" }] }]);
  await composer(page).fill("What is wrong here?");
  await page.reload();
  await page.getByRole("button", { name: "Remove notes.md" }).waitFor();
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("Seen.").waitFor();
  const input = edge.posts.at(-1)?.input;
  expect(input).toMatchObject({
    type: "message",
    text: "What is wrong here?",
    attachments: [
      { kind: "image", name: "screen.png", mediaType: "image/jpeg" },
      { kind: "text", name: "notes.md", mediaType: "text/markdown", data: "# Notes\nline" },
    ],
  });
  const image = page.getByRole("img", { name: "screen.png" });
  // The image has no size until the browser has decoded it.
  await expect
    .poll(() => image.evaluate((each: HTMLImageElement) => [each.naturalWidth, each.naturalHeight]))
    .toEqual([1568, 784]);
  await expect.poll(() => page.locator(".chip button").count()).toBe(0);
  await page.context().close();
});

test("files attached while others are still being read are all there", async () => {
  const page = await open();
  const files = page.getByLabel("Attach files");
  const image = { name: "large.png", mimeType: "image/png", buffer: await png(page, 4000, 4000) };
  await files.setInputFiles(image);
  await files.setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") });
  await page.getByRole("button", { name: "Remove large.png" }).waitFor();
  await page.getByRole("button", { name: "Remove a.txt" }).waitFor();
  await page.context().close();
});

test("what cannot be attached is explained, and nothing else is lost", async () => {
  const page = await open();
  await composer(page).fill("Look");
  await page.getByLabel("Attach files").setInputFiles([
    { name: "program", mimeType: "application/octet-stream", buffer: Buffer.from([0, 255, 254]) },
    { name: "long.txt", mimeType: "text/plain", buffer: Buffer.alloc(100_001, "a") },
  ]);
  await page.getByText("program is neither text nor an image. long.txt is larger than 100 KB").waitFor();
  await expect.poll(() => composer(page).inputValue()).toBe("Look");
  await page.context().close();
});

test("the last typed characters survive an immediate reload", async () => {
  const page = await open();
  await composer(page).fill("first");
  await page.waitForFunction(() => new Promise((resolve) => setTimeout(() => resolve(true), 0)));
  await composer(page).pressSequentially(" and last");
  await page.reload();
  await expect.poll(() => composer(page).inputValue()).toBe("first and last");
  await page.context().close();
});

test("a sent message is edited and sent again; the history keeps both", async () => {
  const page = await open();
  await say(page, "Fix the tset");
  await page.getByText("Seen.").waitFor();
  await page.getByRole("button", { name: "More about this message" }).click();
  await page.getByRole("button", { name: "Edit and send again" }).click();
  await expect.poll(() => composer(page).inputValue()).toBe("Fix the tset");
  await say(page, "Fix the test");
  await expect.poll(() => edge.posts.at(-1)?.input).toMatchObject({ text: "Fix the test" });
  await page.locator(".row.user").nth(1).waitFor();
  expect(await page.locator(".row.user .bubble").allTextContents()).toEqual(["Fix the tset", "Fix the test"]);
  await page.context().close();
});

test("editing an earlier message says what it removes, and Cancel restores what was typed before", async () => {
  const page = await open();
  await say(page, "Fix the tset");
  await page.getByText("Seen.").waitFor();
  await composer(page).fill("half a thought");
  await page.getByRole("button", { name: "More about this message" }).click();
  await page.getByRole("button", { name: "Edit and send again" }).click();
  await expect.poll(() => composer(page).inputValue()).toBe("Fix the tset");
  const bar = page.locator(".edit-again");
  expect(await bar.textContent()).toContain("Editing “Fix the tset”");
  expect(await bar.textContent()).toContain("1 later entry and all changes of files stay");
  const posts = edge.posts.length;
  await composer(page).fill("Fix the test, changed");
  await bar.getByRole("button", { name: "Cancel" }).click();
  await bar.waitFor({ state: "detached" });
  expect(await composer(page).inputValue()).toBe("half a thought");
  await page.reload();
  await expect.poll(() => composer(page).inputValue()).toBe("half a thought");
  expect(await page.locator(".row.user .bubble").allTextContents()).toEqual(["Fix the tset"]);
  expect(edge.posts.length).toBe(posts);
  await page.context().close();
});

test("with a keyboard, arrow up in an empty composer brings back the last message, and Enter completes a command", async () => {
  const page = await open(true);
  await say(page, "Hello there");
  await page.getByText("Seen.").waitFor();
  await composer(page).press("ArrowUp");
  await expect.poll(() => composer(page).inputValue()).toBe("Hello there");
  await composer(page).fill("/hel");
  await composer(page).press("Enter");
  await expect.poll(() => composer(page).inputValue()).toBe("/help");
  await composer(page).press("Enter");
  await page.getByRole("dialog", { name: "Commands" }).waitFor();
  await page.context().close();
});

test("code is copied with a tap", async () => {
  const page = await open();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await say(page, "Show it");
  await page.locator(".code").getByRole("button", { name: "Copy" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("const a = 1;");
  await page.context().close();
});
