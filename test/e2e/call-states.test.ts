// The states that the screen shows for the calls of one answer (queued, needs approval, running, checking).
// The tests use the real edge and sandbox, and compare the screen with the calls that the sandbox's journal
// records as begun.
import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import type { ScriptedCall } from "../fakes/model-reply.ts";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { gate } from "../harness/gate.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { test } from "./fixture.ts";
import { composer, newSession, pair, say } from "./phone.ts";

let product: Product;
let model: ModelServer;
let folder: string;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "handrail-states-"));
  execFileSync("git", ["init", "-q", "-b", "feature"], { cwd: folder });
  model = await startModelServer([{ text: "Nothing." }]);
  product = await startProduct({
    env: {
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: "test-key",
      HANDRAIL_MODEL: "scripted",
      HANDRAIL_WORKSPACE: folder,
    },
  });
});
afterAll(async () => {
  await product?.close();
  await model?.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (id: string, command: string): ScriptedCall => ({ id, name: "run_command", args: { command } });
const until = (file: string) => `until [ -e ${file} ]; do sleep 0.05; done`;
const go = (file: string) => writeFile(join(folder, file), "");

/** Keys of all calls that the sandbox has begun. */
async function begun(): Promise<string[]> {
  const names = await readdir(product.stateDir, { recursive: true });
  const journals = names.filter((name) => /turns\/[^/]+\.ndjson$/.test(name));
  const texts = await Promise.all(journals.map((name) => readFile(join(product.stateDir, name), "utf8")));
  return texts.flatMap((text) =>
    [...text.matchAll(/"type":"started","key":"([^"]+)"/g)].map(([, key = ""]) => key),
  );
}

/** The text of each row in the card of running calls. */
const rows = (page: Page) =>
  page
    .locator(".now-calls summary")
    .evaluateAll((all) =>
      all.map((row) => `${row.querySelector("b")?.textContent}: ${row.querySelector("code")?.textContent}`),
    );

/** Returns whether the card shows the running call's row completely, and how many rows are cut off. */
const shownRows = (page: Page) =>
  page.locator(".now-card").evaluate((card) => {
    const box = card.getBoundingClientRect();
    const inPart = (row: Element) => {
      const { top, bottom, left } = row.getBoundingClientRect();
      const begins = left < box.right && top < box.bottom && bottom > box.top;
      return begins && (top < box.top || bottom > box.bottom);
    };
    const shown = [...card.querySelectorAll(".now-calls summary")];
    const running = card.querySelector(".is-running summary");
    const at = running?.getBoundingClientRect();
    return {
      running: at !== undefined && at.left < box.right && at.top >= box.top && at.bottom <= box.bottom,
      cut: shown.filter(inPart).length,
    };
  });

/** Saves a picture for a person to look at, if `HANDRAIL_PICTURES` names a folder. */
async function picture(page: Page, name: string): Promise<void> {
  const to = process.env.HANDRAIL_PICTURES;
  if (to === undefined) return;
  for (const [width, height] of [
    [390, 844],
    [320, 568],
  ] as const)
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      await page.screenshot({ path: join(to, `${name}-${width}-${colorScheme}.png`) });
    }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 390, height: 844 });
}

const lint = "test -e source/main.ts && node --test test/main.ts test/retry.ts; echo linted";
const removal =
  "rm -rf build/ky-base && git worktree add --detach build/ky-base HEAD && cd build/ky-base && npx ava test/retry.ts";
const push = "git push --force-with-lease origin handrail/timeout-limit";

test("each of six calls with two permissions shows its state, and both permissions are decided while the first calls run", async ({
  page,
}) => {
  await pair(page, product);
  await newSession(page);
  model.play([
    {
      text: "The cases share one server that never answers; the limit decides which error comes.",
      calls: [
        { id: "c0", name: "list_files", args: {} },
        run("c1", `echo "✔ limit is timeout on an attempt (1.2s)"; ${until("go-1")}; echo done`),
        run("c2", removal),
        run("c3", lint),
        run("c4", push),
        { id: "c5", name: "write_file", args: { path: "notes.md", content: "x\n", base: null } },
      ],
    },
    { text: "Not pushed." },
  ]);
  await say(page, "Run all of it.");
  const card = page.locator(".card.permission");
  await card.getByText("Needs approval · 1 of 2").waitFor();
  await page.locator(".page-head", { hasText: "feature · Needs approval" }).waitFor();
  await page.locator(".now-calls .is-running").waitFor();
  expect(await rows(page)).toEqual([
    `Running: echo "✔ limit is timeout on an attempt (1.2s)"; ${until("go-1")}; echo done`,
    `Needs approval: ${removal}`,
    `Queued: ${lint}`,
    `Needs approval: ${push}`,
  ]);
  await page.getByText("1 more call queued").waitFor();
  await page.locator(".now-output", { hasText: "limit is timeout" }).waitFor();
  const keys = (await begun()).filter((key) => /^[^/]+\/\d+\/\d+$/.test(key));
  expect(keys.map((key) => key.split("/").at(-1)).sort()).toEqual(["0", "1"]);
  // The card shows the whole command above its buttons.
  expect(await card.locator(".command").textContent()).toBe(removal);
  await picture(page, "six-calls");
  // On a low screen, too, the card shows the running command completely, and no row is cut off.
  for (const size of [
    { width: 320, height: 500 },
    { width: 844, height: 330 },
  ]) {
    await page.setViewportSize(size);
    await expect.poll(() => shownRows(page)).toEqual({ running: true, cut: 0 });
  }
  await page.setViewportSize({ width: 390, height: 844 });

  await page.getByRole("button", { name: "Deny…" }).click();
  await page.getByRole("dialog").getByLabel("Why not?").fill("Use the folder that is there.");
  await picture(page, "deny");
  await page.getByRole("dialog").getByRole("button", { name: "Deny", exact: true }).click();
  await card.getByText("Needs approval · 2 of 2").waitFor();
  expect(await card.locator(".command").textContent()).toBe(push);
  await page.getByRole("button", { name: "Deny…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Deny without a reason" }).click();
  await card.waitFor({ state: "detached" });
  expect((await rows(page)).slice(1)).toEqual([`Denied: ${removal}`, `Queued: ${lint}`, `Denied: ${push}`]);
  await picture(page, "decided");
  expect((await begun()).filter((key) => /^[^/]+\/\d+\/\d+$/.test(key))).toHaveLength(2);

  // While the decisions are being sent, the screen asks for none of them again.
  const arrival = gate();
  await page.route("**/api/turn", async (route) => {
    await arrival.passed;
    await route.continue();
  });
  await go("go-1");
  await page.locator(".page-head", { hasText: "Sending" }).waitFor();
  expect(await card.count()).toBe(0);
  expect(await rows(page)).toEqual([
    `Denied: ${removal}`,
    `Queued: ${lint}`,
    `Denied: ${push}`,
    "Queued: write notes.md",
  ]);
  arrival.open();
  await page.getByText("Not pushed.").waitFor();
  const sent = JSON.stringify(model.requests.at(-1)?.body.messages);
  expect(sent).toContain("denied by the person: Use the folder that is there.");
  await page.locator(".now-card").waitFor({ state: "detached" });
  await picture(page, "after");
});

test("messages sent meanwhile wait above the composer, and Send now gives them to the model after the running call", {
  tags: "long",
}, async ({ page }) => {
  await pair(page, product);
  await newSession(page);
  model.play([
    { calls: [run("w1", `echo begun; ${until("go-2")}`), run("w2", "touch never")] },
    { text: "In the readme too." },
  ]);
  await say(page, "Write the docs.");
  await page.locator(".now-output", { hasText: "begun" }).waitFor();
  await say(page, "In the readme, also the shared client.");
  const chip = page.getByRole("region", { name: "Queued messages" });
  await chip.getByText("1 message waiting").waitFor();
  await picture(page, "queued");
  await chip.getByRole("button", { name: "Send now" }).click();
  await chip.getByRole("button", { name: "Sent" }).waitFor();
  expect(await chip.getByText("waiting").count()).toBe(0);
  await go("go-2");
  await page.getByText("In the readme too.").waitFor();
  const unrun = page.locator(".card.unrun", { hasText: "your message came first" });
  expect(await unrun.locator(".time").textContent()).toBe("");
  expect(await page.locator(".bubble").allTextContents()).toEqual([
    "Write the docs.",
    "In the readme, also the shared client.",
  ]);
  await chip.waitFor({ state: "detached" });
  expect(await readdir(folder)).not.toContain("never");
  expect(await composer(page).inputValue()).toBe("");
});

test("the number of changed files is the same in list, header and Changes, and starts over after a commit", {
  tags: "long",
}, async ({ page }) => {
  await pair(page, product);
  await newSession(page);
  const write = { name: "write_file", args: { path: "limits.md", content: "one\ntwo\n", base: null } };
  model.play([{ calls: [write, run("more", "echo three >> limits.md")] }, { text: "Written." }]);
  const counted = gate();
  const isCount = (url: URL) => /\/sandboxes\/[^/]+\/changes$/.test(url.pathname);
  await page.route(isCount, async (route) => {
    await counted.passed;
    await route.continue();
  });
  await say(page, "Write the limits.");
  await page.getByText("Written.").waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
  const row = page.locator(".stop-line", { hasText: "Changes" });
  await expect.poll(() => row.textContent()).toBe("Changes counting…");
  await page.getByRole("button", { name: "More about this session" }).click();
  const changes = page.getByRole("dialog").getByRole("button", { name: /^Changes/ });
  await changes.getByText("counting…").waitFor();
  counted.open();
  await changes.getByText("1 file, +3 −0").waitFor();
  await expect.poll(() => row.textContent()).toBe("Changes 1 file, +3 −0");
  await page.unroute(isCount);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Back" }).click();
  await page.locator(".session-line").first().getByText("Done · 1 file, +3 −0").waitFor();
  await page.locator(".session-line").first().click();
  const commit = 'git add -A && git -c user.name=A -c user.email=a@b.c commit -m "Add limits"';
  model.play([{ calls: [run("commit", commit)] }, { text: "Committed it." }]);
  await say(page, "Commit it.");
  await page.getByText("Committed it.").waitFor();
  const hash = execFileSync("git", ["rev-parse", "--short=7", "HEAD"], { cwd: folder }).toString().trim();
  const words = `Committed ${hash} on feature · 0 files since`;
  await page.getByRole("button", { name: "More about this session" }).click();
  await page.getByRole("dialog").getByText("Changes", { exact: true }).click();
  await page.getByText(words).first().waitFor();
  await picture(page, "committed");
  await page.getByRole("button", { name: "Push…" }).click();
  await page.getByRole("dialog", { name: "Push" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.goBack();
  await page.getByRole("button", { name: "Back" }).click();
  await page.locator(".session-line").first().getByText(words).waitFor();
});

test("the screen shows since when the model has been thinking, and when it is asked again", {
  tags: "long",
}, async ({ page }) => {
  await pair(page, product);
  await newSession(page);
  let answers: (_?: unknown) => void = () => undefined;
  const hold = new Promise((resolve) => {
    answers = resolve;
  });
  const limited = { status: 429, headers: { "retry-after": "40" } };
  model.play((_, n) => (n === 1 ? { hold, ...limited } : { text: "Late, but here." }));
  await say(page, "Think");
  const now = page.locator(".now-thinks");
  await expect.poll(() => now.textContent()).toMatch(/^Thinking, 0:\d\d$/);
  answers();
  await expect
    .poll(() => now.textContent())
    .toMatch(/^The provider limits requests: asked again in 0:[34]\d$/);
  await picture(page, "asked-again");
  await page.getByRole("button", { name: "Stop" }).click();
  await expect.poll(() => now.count()).toBe(0);
});
