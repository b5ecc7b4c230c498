// The ways in which a session's work leaves a served folder, on the phone and with the recorded repository: a
// branch of its own, a commit that is undone and made again, a push that the remote refuses, and a rebase
// with a preview of its plan.
// @module-tag long
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { gate } from "../harness/gate.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { makeRecordedRepository } from "../harness/recorded-repository.ts";
import { type GitHost, hostPassword, hostUser, startGitHost } from "../sandbox/git-host.ts";
import { hostGit, newHome } from "../sandbox/host-git.ts";
import { test } from "./fixture.ts";
import { composer, newSession, pair, pickMode, say } from "./phone.ts";
import { savedDownload } from "./saved-download.ts";
import { shown } from "./shown-screen.ts";

let product: Product;
let model: ModelServer;
let host: GitHost;
const base = mkdtempSync(join(tmpdir(), "handrail-delivery-"));
const folder = join(base, "ky");
const home = newHome(base);
const git = (...args: string[]) => hostGit(home, folder, ...args).trim();
const atHost = (...args: string[]) => hostGit(home, host.root, ...args).trim();

test.beforeAll(async () => {
  host = await startGitHost(0);
  hostGit(home, base, "init", "-q", "ky");
  makeRecordedRepository(folder);
  git("push", "-q", host.root, "main");
  git("remote", "set-url", "origin", host.url);
  model = await startModelServer([{ text: "Nothing." }]);
  product = await startProduct({
    env: {
      ...{ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "test-key", HANDRAIL_MODEL: "scripted" },
      HANDRAIL_WORKSPACE: folder,
    },
  });
});
afterAll(async () => {
  await product?.close();
  await model?.close();
  await host?.close();
  rmSync(base, { recursive: true, force: true });
});

/** The test covers the app's own sheet, so the system's share sheet is replaced. */
const withShareSheet = (page: Page) =>
  page.addInitScript(() => {
    const share = async ({ files = [] }: ShareData) => {
      for (const file of files) document.documentElement.dataset.shared = await file.text();
    };
    Object.assign(navigator, { share, canShare: () => true });
  });

/** Taps each way out that needs no forge, and reads the result with plain git and tar. */
async function carriedAway(page: Page): Promise<void> {
  const sheet = page.getByRole("dialog", { name: "Branch" });
  const tapped = async (name: RegExp) => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      sheet.getByRole("button", { name }).click(),
    ]);
    return savedDownload(download);
  };
  const elsewhere = join(base, "elsewhere");
  hostGit(home, base, "clone", "-q", "-b", "main", host.root, elsewhere);
  const there = (...args: string[]) => hostGit(home, elsewhere, ...args).trim();
  const patch = await tapped(/^Download as patch/);
  there("apply", patch);
  expect(there("status", "--porcelain").split("\n")).toHaveLength(3);
  for (const path of ["readme.md", "source/counted.ts", "source/index.ts"])
    expect(readFileSync(join(elsewhere, path), "utf8")).toBe(readFileSync(join(folder, path), "utf8"));
  await sheet.getByRole("button", { name: "Share the patch" }).click();
  await expect
    .poll(() => page.evaluate(() => document.documentElement.dataset.shared))
    .toBe(readFileSync(patch, "utf8"));
  there("fetch", "-q", await tapped(/^Download as git bundle/));
  expect(there("log", "-1", "--format=%s %H", "FETCH_HEAD")).toBe(`Mine ${git("rev-parse", "HEAD")}`);
  const files = execFileSync("tar", ["-tzf", await tapped(/^Download as tar\.gz/)], { encoding: "utf8" });
  expect(files.split("\n")).toEqual(expect.arrayContaining([expect.stringMatching(/readme\.md$/)]));
  await shown(page, "branch-ways-out");
}

test("branch, commit, undo, push, patch, bundle, archive, a refusal, and the plan of a rebase", async ({
  page,
}) => {
  const branch = "handrail/count-every-request-of-ky";
  await withShareSheet(page);
  await pair(page, product);
  await newSession(page);
  await page.getByText("It works on main.").waitFor();
  await composer(page).fill("Count every request of ky");
  await shown(page, "branch-offer");
  await page.getByRole("button", { name: "New branch…" }).click();
  const branches = page.getByRole("dialog", { name: "Branch" });
  await branches.getByText("No commit that", { exact: false }).waitFor();
  await shown(page, "branch");
  await branches.getByRole("button", { name: "Create this branch" }).click();
  const head = page.locator(".page-head p");
  await head.getByText(branch).waitFor();
  expect(await page.getByText("It works on main.").count()).toBe(0);
  expect(git("branch", "--show-current")).toBe(branch);

  await pickMode(page, "Auto");
  const change =
    "sed -i '1i // one' source/index.ts; sed -i '1i // two' readme.md; sed -i '$a // three' source/index.ts; echo 'export {};' > source/counted.ts";
  model.play([
    { calls: [{ id: "c1", name: "run_command", args: { command: change } }] },
    { text: "Counted." },
  ]);
  await say(page, "Count every request of ky");
  await page.getByText("Counted.", { exact: true }).waitFor();
  // The head shows the branch even while it announces other things.
  await head.getByText(branch).waitFor();
  await page.getByRole("button", { name: "More about this session" }).click();
  await page.getByRole("button", { name: /^Changes/ }).click();
  await page.getByRole("button", { name: "Commit", exact: true }).click();
  const commits = page.getByRole("dialog", { name: "Commit" });
  await commits.getByText("readme.md").waitFor();
  await commits.getByText("Author:", { exact: false }).click();
  await commits.getByLabel("Name", { exact: true }).fill("Ann Example");
  await commits.getByLabel("Email", { exact: true }).fill("ann@example.org");
  await shown(page, "commit");
  await commits.getByRole("checkbox").first().uncheck();
  const looked = gate();
  await page.route("**/diff*", async (route) => {
    await looked.passed;
    await route.continue();
  });
  await commits.getByRole("button", { name: /^Commit \d+ files?$/ }).click();
  const done = page.getByRole("dialog", { name: "Committed" });
  await done.getByText("2 files.", { exact: false }).waitFor();
  // The number is not known before the folder was looked at again.
  expect(await done.getByText("still uncommitted", { exact: false }).count()).toBe(0);
  looked.open();
  await done.getByText("1 file of this session is still uncommitted", { exact: false }).waitFor();
  expect(git("log", "-1", "--format=%an <%ae>")).toBe("Ann Example <ann@example.org>");
  await shown(page, "committed");
  await done.getByRole("button", { name: "Undo" }).click();
  await commits.getByText("readme.md").waitFor();
  expect(git("log", "--format=%s")).toBe("Start");
  await commits.getByRole("button", { name: /^Commit \d+ files?$/ }).click();
  await done.getByRole("button", { name: "Push…" }).click();

  const pushes = page.getByRole("dialog", { name: "Push" });
  await pushes.getByText("1 commit to", { exact: false }).waitFor();
  await pushes.getByLabel(/^Token for/).fill(`${hostUser}:${hostPassword}`);
  await shown(page, "push");
  await pushes.getByRole("button", { name: "Push 1 commit" }).click();
  await pushes.getByText(/^Pushed [0-9a-f]{7}/).waitFor();
  expect(atHost("rev-parse", branch)).toBe(git("rev-parse", "HEAD"));
  await shown(page, "pushed");
  await pushes.getByRole("button", { name: "Done" }).click();

  const theirs = atHost("commit-tree", `${branch}^{tree}`, "-p", branch, "-m", "Theirs");
  atHost("update-ref", `refs/heads/${branch}`, theirs);
  git("commit", "-q", "--allow-empty", "-m", "Mine");
  await page.goBack();
  await page.getByRole("button", { name: "More about this session" }).click();
  await page.getByRole("button", { name: /^Branch, push/ }).click();
  await carriedAway(page);
  await page.getByRole("button", { name: /^Push…/ }).click();
  await pushes.getByText("1 commit to", { exact: false }).waitFor();
  await pushes.getByLabel(/^Token for/).fill(`${hostUser}:${hostPassword}`);
  await pushes.getByRole("button", { name: "Push 1 commit" }).click();
  await pushes.getByText("nothing was pushed", { exact: false }).waitFor();
  expect(await pushes.getByText("was not asked yet").count()).toBe(0);
  expect(await pushes.getByRole("button", { name: /^Push \d/ }).count()).toBe(0);
  await shown(page, "push-refused");
  model.play([{ text: "I would rebase." }]);
  await pushes.getByRole("button", { name: "Fetch, and plan a rebase" }).click();
  await page.getByText("I would rebase.").waitFor();
  expect(git("rev-parse", `origin/${branch}`)).toBe(theirs);
  await page.locator(".badge.plan").waitFor();
});
