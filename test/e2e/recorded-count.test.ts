// The recorded session (test/fixtures/recorded): every screen shows git's number of its changes, while the person
// commits in a terminal, the agent commits a part, and files are reverted.
// @module-tag long
import { appendFileSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import { answered } from "../contract/turns/recorded-session.ts";
import type { ModelReply } from "../fakes/model-reply.ts";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { makeRecordedRepository, recordedTools } from "../harness/recorded-repository.ts";
import { hostGit, newHome } from "../sandbox/host-git.ts";
import { countedEverywhere, openChanges } from "./counted-everywhere.ts";
import { test } from "./fixture.ts";
import { newSession, pair, say } from "./phone.ts";
import { recordedPlan } from "./recorded-plan.ts";

let product: Product;
let model: ModelServer;
const base = realpathSync(mkdtempSync(join(tmpdir(), "handrail-recorded-")));
const folder = join(base, "ky");
const git = (...args: string[]) => hostGit(newHome(base), folder, ...args).trim();

test.beforeAll(async () => {
  makeRecordedRepository(folder);
  model = await startModelServer([{ text: "Nothing." }]);
  product = await startProduct({
    env: {
      ...{ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "test-key", HANDRAIL_MODEL: "scripted" },
      ...{ HANDRAIL_RATE_LIMIT: "0", HANDRAIL_WORKSPACE: folder, HANDRAIL_TOOLS: recordedTools },
    },
  });
});
afterAll(async () => {
  await product?.close();
  await model?.close();
  rmSync(base, { recursive: true, force: true });
});

const play = (replies: ModelReply[]) => model.play([...replies, { text: "Nothing more." }]);
const run = (command: string): ModelReply => ({
  text: "",
  calls: [{ name: "run_command", args: { command } }],
});

/** What git shows since HEAD, in the phone's words: "6 files, +75 −14". */
function gits(): string {
  const lines = git("diff", "--numstat", "HEAD").split("\n").filter(Boolean);
  const sum = (at: number) => lines.reduce((all, line) => all + Number(line.split("\t")[at]), 0);
  const files = `${lines.length} ${lines.length === 1 ? "file" : "files"}`;
  return lines.length === 0 ? files : `${files}, +${sum(0)} −${sum(1)}`;
}

/** Has the recorded plan drafted, approved and run up to its tests. */
async function worked(page: Page): Promise<void> {
  const approve = await recordedPlan(page, play);
  play([...answered(12, 15), ...answered(18, 19)]);
  await approve.click();
  await expect.poll(gits, { timeout: 60_000 }).toMatch(/^[4-9] files, /);
  await page.getByRole("button", { name: "Go on" }).waitFor();
}

test("the recorded session's changes count everywhere as in git, through commits by others and a revert", {
  timeout: 600_000,
}, async ({ page }) => {
  await pair(page, product);
  await newSession(page);
  await worked(page);
  await countedEverywhere(page, gits());

  // The person commits one file in a terminal and edits one that the session has not touched.
  git("commit", "-qm", "Tell which limit ran out", "source/core/Ky.ts");
  const first = git("rev-parse", "--short=7", "HEAD");
  await countedEverywhere(page, `Committed ${first} on main · ${gits()} since`);
  appendFileSync(join(folder, "license"), "By the person.\n");

  // The agent continues in that file and commits another one.
  play([
    run(
      "echo '// limits' >> source/core/Ky.ts; git commit -qm 'Document limits' readme.md; echo more >> readme.md",
    ),
    { text: "It is committed." },
  ]);
  await say(page, "Commit the readme.");
  await page.getByText("It is committed.", { exact: true }).waitFor();
  git("checkout", "-q", "--", "license");
  const second = git("rev-parse", "--short=7", "HEAD");
  await countedEverywhere(page, `Committed ${second} on main · ${gits()} since`);

  await openChanges(page);
  await page.getByRole("button", { name: /^Revert: source\/utils\/timeout\.ts/ }).click();
  await page.getByRole("button", { name: /^Tap again to revert: source\/utils\/timeout\.ts/ }).click();
  await page.getByText("source/utils/timeout.ts is as it was.").waitFor();
  await page.goBack();
  await countedEverywhere(page, `Committed ${second} on main · ${gits()} since`);
  git("commit", "-qam", "The rest");
  const third = git("rev-parse", "--short=7", "HEAD");
  await countedEverywhere(page, `Committed ${third} on main · 0 files since`);
});
