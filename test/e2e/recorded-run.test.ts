// The recorded session (test/fixtures/recorded) as its person saw it: at sixty moments of the run, whatever the sandbox runs
// is on the screen.
// @module-tag long
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import { answered, typed, withCalls } from "../contract/turns/recorded-session.ts";
import type { ModelReply } from "../fakes/model-reply.ts";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { makeRecordedRepository, recordedTools } from "../harness/recorded-repository.ts";
import { test } from "./fixture.ts";
import { newSession, pair, pickMode, say } from "./phone.ts";

let product: Product;
let model: ModelServer;
let root: string;

test.beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "handrail-ky-")));
  makeRecordedRepository(root);
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

const looking = (from: number, to: number) =>
  withCalls(answered(from, to), ({ name }) => name !== "run_command");
const play = (replies: ModelReply[]) => model.play([...replies, { text: "Nothing more." }]);

/** Why what runs cannot be seen now; undefined where it can, or nothing runs. */
function hidden(page: Page): Promise<string | undefined> {
  return page.evaluate(() => {
    const stop = document.querySelector('button[aria-label="Stop"]');
    if (stop === null) return undefined;
    const card = document.querySelector(".now-card");
    if (card === null) return "a turn runs, and there is no card of it";
    const seen = (element: Element) => {
      const { top, bottom, height } = element.getBoundingClientRect();
      const box = card.getBoundingClientRect();
      return height > 0 && top >= Math.max(0, box.top) - 1 && bottom <= Math.min(innerHeight, box.bottom) + 1;
    };
    if (!seen(stop) && stop.getBoundingClientRect().bottom > innerHeight) return "Stop is off the screen";
    const rows = [...card.querySelectorAll(".is-running summary, .is-checking summary, .now-thinks")];
    return rows.find((row) => !seen(row))?.textContent ?? undefined;
  });
}

test("at sixty moments of the recorded run what runs is on the screen, its permission included", {
  timeout: 600_000,
}, async ({ page }) => {
  await pair(page, product);
  await newSession(page);
  await pickMode(page, "Plan");
  play(looking(1, 5));
  await say(page, typed(0));
  const sheet = page.getByRole("dialog");
  await sheet.getByText("Configured limit").click();
  play([...looking(6, 7), ...looking(9, 10)]);
  await sheet.getByRole("button", { name: "Answer", exact: true }).click();
  const approve = page.getByRole("button", { name: "Approve and run" });
  await approve.waitFor();
  const pictures = process.env.HANDRAIL_PICTURES;
  let moments = 0;
  let ran = 0;
  const look = async () => {
    expect(await hidden(page), `moment ${moments}`).toBeUndefined();
    ran += await page.locator(".now-calls :is(.is-running, .is-checking)").count();
    if (pictures !== undefined) await page.screenshot({ path: join(pictures, `run-${moments}.png`) });
    moments += 1;
  };
  const replies = [...answered(12, 15), ...answered(18, 22)];
  let asked = 0;
  model.play(async () => {
    const reply = replies[asked] ?? { text: "Nothing more." };
    asked += 1;
    return reply;
  });
  await approve.click();
  const deny = page.getByRole("button", { name: "Deny…" });
  const turns = page.getByRole("button", { name: /^(Go on|Retry)$/ });
  while (moments < 60) {
    await look();
    // Moments are spread over the run, whose time is that of its commands.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 250)));
    if (moments > 40 && (await deny.count()) > 0) {
      await deny.click();
      await sheet.getByRole("button", { name: "Deny without a reason" }).click();
      await sheet.waitFor({ state: "detached" });
    }
    if ((await turns.count()) > 0) await turns.click();
  }
  expect(ran).toBeGreaterThan(10);
});
