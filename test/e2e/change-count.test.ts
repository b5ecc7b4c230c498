// The number of changes is the same in the transcript, in the menu, in Changes, in the list and in git: after
// a revert, after commits by the agent and by others, and after an undo.
// @module-tag long
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { hostGit, newHome } from "../sandbox/host-git.ts";
import { countedEverywhere, more, openChanges } from "./counted-everywhere.ts";
import { test as plain } from "./fixture.ts";
import { openPhone, pair, say } from "./phone.ts";

const base = mkdtempSync(join(tmpdir(), "handrail-count-"));
const folder = join(base, "served");
mkdirSync(folder);
const git = (...args: string[]) => hostGit(newHome(base), folder, ...args).trim();
git("init", "-q", "-b", "feature");
writeFileSync(join(folder, "note.txt"), "one\n");
git("add", ".");
git("commit", "-qm", "First");
afterAll(() => rmSync(base, { recursive: true, force: true }));

const test = plain.override({ serverEnv: { HANDRAIL_WORKSPACE: folder } });

test("after a revert, commits by the agent and by others, and an undo, every count agrees with git", async ({
  session: page,
  model,
}) => {
  const write = (path: string, content: string) => ({
    name: "write_file",
    args: { path, content, base: null },
  });
  const run = (command: string) => ({ name: "run_command", args: { command } });
  model.play([
    { calls: [write("a.md", "1\n2\n3\n"), write("b.md", "1\n2\n")] },
    { calls: [run("echo two >> note.txt")] },
    { text: "Written." },
  ]);
  await say(page, "Write them.");
  await page.getByText("Written.").waitFor();
  await countedEverywhere(page, "3 files, +6 −0");

  await openChanges(page);
  await page.getByRole("button", { name: /^Delete the file: .*b\.md/ }).click();
  await page.getByRole("button", { name: /^Tap again to delete: .*b\.md/ }).click();
  await page.getByText("b.md is as it was.").waitFor();
  await page.goBack();
  await countedEverywhere(page, "2 files, +4 −0");
  expect(git("status", "--porcelain").split("\n")).toHaveLength(2);

  // This commit is made outside of Handrail, as from an editor or a terminal.
  git("commit", "-qam", "Take the note");
  await countedEverywhere(page, "1 file, +3 −0");
  expect(git("status", "--porcelain")).toBe("?? a.md");

  model.play([
    { calls: [run("git add -A && git -c user.name=A -c user.email=a@b.c commit -m 'Add a'")] },
    { text: "Committed." },
  ]);
  await say(page, "Commit it.");
  await page.getByText("Committed.", { exact: true }).waitFor();
  const hash = git("rev-parse", "--short=7", "HEAD");
  await countedEverywhere(page, `Committed ${hash} on feature · 0 files since`);

  await more(page);
  await page.getByRole("dialog").getByRole("button", { name: /^Undo/ }).click();
  await page.getByRole("dialog").getByText("Write them.").click();
  await page.getByRole("button", { name: "Restore the files" }).click();
  await page.locator(".page-head", { hasText: "2 files" }).waitFor();
  await page.goBack();
  await page.getByRole("log").getByText("You went back to before Write them.").waitFor();
  await countedEverywhere(page, `Committed ${hash} on feature · 2 files, +0 −4 since`);
  expect(git("diff", "--shortstat", "HEAD")).toBe("2 files changed, 4 deletions(-)");
});

test("a commit about which git prints nothing is shown, although the same command changes a file after it", async ({
  session: page,
  model,
}) => {
  const command =
    "echo one >> quiet.md && git add -A && git -c user.name=A -c user.email=a@b.c commit -qm x && echo 1 >> later.md";
  model.play([{ calls: [{ name: "run_command", args: { command } }] }, { text: "Committed quietly." }]);
  await say(page, "Commit what is there.");
  await page.getByText("Committed quietly.", { exact: true }).waitFor();
  const hash = git("rev-parse", "--short=7", "HEAD");
  await countedEverywhere(page, `Committed ${hash} on feature · 1 file, +1 −0 since`);
  expect(git("status", "--porcelain")).toBe("?? later.md");
  rmSync(join(folder, "later.md"));
});

test("an undo whose changes are not counted before the page closes is counted when the session is opened", async ({
  session: page,
  model,
}) => {
  const write = { name: "write_file", args: { path: "c.md", content: "1\n2\n", base: null } };
  model.play([{ calls: [write] }, { text: "Written down." }]);
  await say(page, "Write c.");
  await page.locator(".stop-line", { hasText: "+2" }).waitFor();
  await more(page);
  await page.getByRole("dialog").getByRole("button", { name: /^Undo/ }).click();
  await page.getByRole("dialog").getByText("Write c.").click();
  const restore = page.getByRole("button", { name: "Restore the files" }).and(page.locator(":enabled"));
  await restore.waitFor();
  // From here on the app gets no answer to its requests for the count.
  await page.route(/\/sandboxes\/[^/]+\/changes/, () => undefined);
  await restore.click();
  await page.locator(".page-head", { hasText: "Changes" }).waitFor();
  await page.goBack();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.reload();
  await page.locator(".composer").waitFor();
  await page.getByRole("button", { name: "Back" }).click();
  await page.locator(".session-line").first().filter({ hasNotText: "+2" }).waitFor();
});

test("a second device counts what commands wrote before it opened the session", async ({
  browser,
  session: page,
  model,
  product,
}) => {
  const command = "echo one > by-command.txt";
  model.play([{ calls: [{ name: "run_command", args: { command } }] }, { text: "It is there." }]);
  await say(page, "Make a file with a command.");
  await page.getByText("It is there.").waitFor();
  const other = await openPhone(browser);
  await pair(other.page, product);
  await other.page.locator(".server-line", { hasText: "Make a file" }).click();
  await other.page.getByText("It is there.").waitFor();
  await more(other.page);
  await other.page
    .getByRole("dialog")
    .getByRole("button", { name: /^Changes/ })
    .filter({ hasText: "1 file, +1 −0" })
    .waitFor();
  await other.context.close();
});
