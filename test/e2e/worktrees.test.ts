// Two sessions on one served folder: the second one gets a git worktree of its own. Its work is merged back
// on the phone, where the person decides about conflicts.
// @module-tag long
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished } from "vitest";
import type { ModelReply } from "../fakes/model-reply.ts";
import { type ModelServer, startModelServer } from "../fakes/model-server.ts";
import { type Product, startProduct } from "../harness/product.ts";
import { hostGit, newHome } from "../sandbox/host-git.ts";
import { test } from "./fixture.ts";
import { newSession, pair, pickMode, say } from "./phone.ts";
import { shown } from "./shown-screen.ts";

let product: Product;
let model: ModelServer;
const base = mkdtempSync(join(tmpdir(), "handrail-worktrees-"));
const folder = join(base, "gateway");
const home = newHome(base);
const git = (...args: string[]) => hostGit(home, folder, ...args).trim();
const text = (name: string) => readFileSync(join(folder, name), "utf8");

test.beforeAll(async () => {
  hostGit(home, base, "init", "-q", "gateway");
  writeFileSync(join(folder, "a.txt"), "one\ntwo\nthree\n");
  git("add", "-A");
  git("commit", "-qm", "first");
  model = await startModelServer([{ text: "Nothing." }]);
  product = await start(folder);
});
afterAll(async () => {
  await product?.close();
  await model?.close();
  rmSync(base, { recursive: true, force: true });
});

/** A product that serves `workspace` with the scripted model. */
function start(workspace: string): Promise<Product> {
  const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "test-key", HANDRAIL_MODEL: "scripted" };
  return startProduct({ env: { ...env, HANDRAIL_WORKSPACE: workspace } });
}

/** The same for one test. */
async function serve(workspace: string): Promise<Product> {
  const served = await start(workspace);
  onTestFinished(() => served.close());
  return served;
}

const run = (command: string, words: string): ModelReply[] => [
  { calls: [{ id: `c${command.length}`, name: "run_command", args: { command } }] },
  { text: words },
];

test("the second session works separately, and its work is brought back with a conflict decided on the phone", async ({
  page,
}) => {
  await pair(page, product);
  await newSession(page);
  await page.getByText("gateway · main", { exact: false }).waitFor();
  await page.goBack();
  await newSession(page);
  const head = page.locator(".page-head p");
  await head.getByText("handrail/session").waitFor();
  await pickMode(page, "Auto");
  const inner = "git init -q vendor && echo v > vendor/v";
  model.play(run(`sed -i 's/two/zwei/' a.txt; echo new > new.txt; ${inner}`, "Changed."));
  await say(page, "Change it\u200b.");
  await page.getByText("Changed.").waitFor();
  expect([text("a.txt"), git("status", "--short")]).toEqual(["one\ntwo\nthree\n", ""]);
  writeFileSync(join(folder, "a.txt"), "one\ndeux\nthree\n");
  git("commit", "-qam", "theirs");

  const open = async () => {
    await page.getByRole("button", { name: "More about this session" }).click();
    await page.getByRole("button", { name: /^Bring back/ }).click();
    return page.getByRole("dialog", { name: "Bring back" });
  };
  const sheet = await open();
  await sheet.getByText("a.txt").waitFor();
  await sheet.getByText("main has 1 commit more", { exact: false }).waitFor();
  // The sheet names a nested repository, because git takes none of its files along.
  await sheet.getByText("This folder is a git repository", { exact: false }).waitFor();
  await sheet.getByText("vendor/", { exact: true }).waitFor();
  // The title of the session, in which a character would be invisible.
  expect(await sheet.getByLabel("Commit message for").inputValue()).toBe("Change it⟨U+200B⟩");
  await shown(page, "bring-back");
  await sheet.getByRole("button", { name: "Merge into main" }).click();
  await sheet.getByText("changed on both sides", { exact: false }).waitFor();
  expect(await sheet.locator(".conflict pre").allTextContents()).toEqual(["zwei", "deux"]);
  const choose = sheet.getByRole("button", { name: "Bring back with these choices" });
  expect(await choose.isDisabled()).toBe(true);
  await shown(page, "conflicts");
  await sheet.getByText("This session's").click();
  await choose.click();
  await sheet.getByText("came back to gateway", { exact: false }).waitFor();
  await shown(page, "brought-back");
  expect([text("a.txt"), text("new.txt"), git("status", "--short")]).toEqual([
    ...["one\nzwei\nthree\n", "new\n", ""],
  ]);
  await sheet.getByRole("button", { name: "Done" }).click();
});

test("a session that shares its folder gets a worktree from its menu, and its changes move with it", async ({
  page,
}) => {
  await pair(page, product);
  writeFileSync(join(folder, "person.txt"), "mine\n");
  await newSession(page);
  await pickMode(page, "Auto");
  model.play(run("echo shared > shared.txt", "Made."));
  await say(page, "Make it.");
  await page.getByText("Made.", { exact: true }).waitFor();
  expect(git("status", "--short")).toBe("?? person.txt\n?? shared.txt");
  await page.getByRole("button", { name: "More about this session" }).click();
  await page.getByRole("button", { name: /^Move to a worktree/ }).click();
  await shown(page, "give-worktree");
  await page.getByRole("button", { name: "Move to a worktree", exact: true }).click();
  await page.locator(".page-head p").getByText("handrail/make-it").waitFor();
  expect(git("status", "--short")).toBe("?? person.txt");
});

test("a session whose worktree could not be made says why, until the person has read it", async ({
  page,
}) => {
  hostGit(home, base, "init", "-q", "empty");
  const served = await serve(join(base, "empty"));
  await pair(page, served);
  await page.goto(`${served.url}/#/new`);
  await page.getByRole("button", { name: "empty begins in normal mode: change" }).click();
  await page.getByText("Worktree", { exact: true }).click();
  await page.goBack();
  await newSession(page);
  const notice = page.getByText("No worktree could be made for this session", { exact: false });
  expect(await notice.textContent()).toContain("A worktree needs a first commit in the folder.");
  await shown(page, "no-worktree");
  await page.reload();
  await notice.waitFor();
  await page.getByRole("button", { name: "Dismiss" }).click();
  await notice.waitFor({ state: "detached" });
  await page.reload();
  await page.getByText("What should be done?").waitFor();
  expect(await notice.count()).toBe(0);
});

test("while a command runs in the folder, a new session says that its worktree waits for that", async ({
  page,
}) => {
  hostGit(home, base, "clone", "-q", folder, "busy");
  await pair(page, await serve(join(base, "busy")));
  await newSession(page);
  // The output shows that the command has begun. The quotes keep its word out of the command line.
  model.play([{ calls: [{ name: "run_command", args: { command: "echo beg''un; sleep 90" } }] }]);
  await say(page, "Wait");
  await page.getByText("begun").first().waitFor();
  await page.goBack();
  await newSession(page);
  await page.getByText("Making its worktree. While a command runs in the folder, it waits.").waitFor();
  await page.getByRole("button", { name: "Stop preparing it" }).click();
  await page.getByRole("heading", { name: "It was stopped" }).waitFor();
});
