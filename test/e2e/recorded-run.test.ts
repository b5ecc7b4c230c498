// The recorded session (test/fixtures/recorded) as its person saw it: during the twenty minutes of its run,
// the screen always shows the command that the sandbox runs.
// @module-tag long
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import { answered } from "../contract/turns/recorded-session.ts";
import type { ModelReply } from "../fakes/model-reply.ts";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { heldProgram, letGo, makeRecordedRepository, recordedTools } from "../harness/recorded-repository.ts";
import { test } from "./fixture.ts";
import { newSession, pair } from "./phone.ts";
import { recordedPlan } from "./recorded-plan.ts";

let product: Product;
let model: ModelServer;
let root: string;

test.beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "handrail-ky-")));
  makeRecordedRepository(root, true);
  model = await startModelServer([{ text: "Nothing." }]);
  product = await startProduct({
    env: {
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: "test-key",
      HANDRAIL_MODEL: "scripted",
      HANDRAIL_RATE_LIMIT: "0",
      HANDRAIL_WORKSPACE: root,
      HANDRAIL_TOOLS: recordedTools,
    },
  });
});
afterAll(async () => {
  await product?.close();
  await model?.close();
  rmSync(root, { recursive: true, force: true });
});

const play = (replies: ModelReply[]) => model.play([...replies, { text: "Nothing more." }]);

/**
 * The commands that the screen shows as running or checking, in full. Instead of a command that is not
 * completely visible, it returns the reason.
 */
function shownCommands(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const card = document.querySelector(".now-card");
    if (card === null) return ["no card of what runs"];
    const box = card.getBoundingClientRect();
    const isSeen = (element: Element) => {
      const { top, bottom, height } = element.getBoundingClientRect();
      return height > 0 && top >= Math.max(0, box.top) - 1 && bottom <= Math.min(innerHeight, box.bottom) + 1;
    };
    const stop = document.querySelector('button[aria-label="Stop"]');
    if (stop === null || stop.getBoundingClientRect().bottom > innerHeight) return ["no Stop"];
    return [...card.querySelectorAll(":is(.is-running, .is-checking) details")].map((call) => {
      const line = call.querySelector("summary");
      const command = call.querySelector(".now-whole")?.textContent ?? "";
      return line !== null && isSeen(line) ? command : `off the screen: ${command}`;
    });
  });
}

/** The run takes twenty minutes and is checked every 20 s by the phone's clock. */
const moments = 60;
const everyMs = 20_000;
/** The number of checks before a command's program may end. */
const looksAtEach = 8;

test("each of sixty screenshots of a run of twenty minutes shows the command that the sandbox runs, and Stop", {
  timeout: 600_000,
}, async ({ page }) => {
  await pair(page, product);
  await newSession(page);
  const approve = await recordedPlan(page, play);
  const replies = [...answered(12, 15), ...answered(18, 22)];
  let asked = 0;
  model.play(async () => {
    const reply = replies[asked] ?? { text: "Nothing more." };
    asked += 1;
    return reply;
  });
  await approve.click();
  const pictures = process.env.HANDRAIL_PICTURES;
  const begun = Date.now();
  const seen = new Set<string>();
  for (let moment = 0; moment < moments; moment += 1) {
    await expect.poll(() => heldProgram(root), { message: `moment ${moment}` }).toBeDefined();
    const program = heldProgram(root) ?? "";
    await page.clock.setFixedTime(begun + moment * everyMs);
    // Quotes belong to the shell; the program's own arguments lack them.
    const plain = async () => (await shownCommands(page)).map((command) => command.replaceAll("'", ""));
    await expect
      .poll(plain, { message: `moment ${moment}` })
      .toEqual([expect.stringContaining(program.split(" ").slice(0, 2).join(" "))]);
    if (pictures !== undefined) await page.screenshot({ path: join(pictures, `run-${moment}.png`) });
    seen.add(program);
    if (moment % looksAtEach === looksAtEach - 1) letGo(root);
  }
  expect(seen.size).toBeGreaterThan(4);
  await expect.poll(() => page.locator(".page-head").textContent()).toMatch(/· (19|20):\d\d/);
});
