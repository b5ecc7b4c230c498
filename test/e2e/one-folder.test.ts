// Several sessions work in one folder and must not mix up their changes: a key rotation in normal mode, a
// plan whose phone is closed while it runs, a refactoring in auto mode and an imported session, all on one
// Python repository with a virtual environment.
// @module-tag long
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, onTestFinished } from "vitest";
import { startModelServer } from "../fakes/model-server.ts";
import { gate } from "../harness/gate.ts";
import { startProduct } from "../harness/product.ts";
import { test } from "./fixture.ts";
import { newSession, newTab, openPhone, pair, pickMode, say } from "./phone.ts";
import { savedDownload } from "./saved-download.ts";
import { turnsStored } from "./stored-history.ts";
import { answers, original, vault, wishes } from "./vault.ts";

const sheetOf = (page: Page) => page.getByRole("dialog");
const rests = (page: Page) =>
  page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });

/** Opens the session's Changes, checks how many files it counts, and returns to the session. */
async function countsFiles(page: Page, session: string, words: RegExp): Promise<void> {
  await page.goto(`${session}/changes`);
  await page.getByText(words).first().waitFor();
  await page.goto(session);
}

async function putBack(page: Page, row: RegExp): Promise<void> {
  await page.getByRole("button", { name: "Undo to…" }).click();
  await sheetOf(page).getByRole("button", { name: row }).click();
}

describe.each([
  ["node", "long"],
  ["workerd", "length"],
] as const)("on %s", (runtime, tags) => {
  test("every session of the day shows its own changes alone", { timeout: 600_000, tags }, async ({
    browser,
  }) => {
    const { folder, git, text, has } = vault();
    const closed = gate();
    const model = await startModelServer(answers(wishes(closed.passed)));
    onTestFinished(() => model.close());
    const product = await startProduct({
      runtime,
      env: {
        ...{ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: "test-key", HANDRAIL_MODEL: "scripted" },
        ...{ HANDRAIL_WORKSPACE: folder, HANDRAIL_RATE_LIMIT: "0" },
      },
    });
    onTestFinished(() => product.close());
    const open = async (keyboard: boolean) => {
      const opened = await openPhone(browser, { keyboard });
      onTestFinished(() => opened.context.close());
      // Three sessions, their checks and a browser for each share the machine, so everything is slower.
      opened.context.setDefaultTimeout(120_000);
      await pair(opened.page, product);
      return opened;
    };

    // The key is rotated on the desktop, and nothing is committed. From here on, the sessions share the
    // folder.
    const desktop = await open(true);
    const desk = desktop.page;
    await newSession(desk);
    const rotation = desk.url();
    await say(desk, "Rotate the signing key");
    await desk.getByText("The key is rotated.").waitFor();
    await rests(desk);
    await desk
      .getByText(/^2 files · /)
      .first()
      .waitFor();
    writeFileSync(join(folder, "README.md"), "# Vault\n\nBy a person.\n");

    // The phone runs a plan of three files and is closed once the first file is written.
    const phone = await open(false);
    await newSession(phone.page);
    const audit = phone.page.url();
    await pickMode(phone.page, "Plan");
    await say(phone.page, "Keep an audit log");
    await phone.page.getByRole("button", { name: "Approve and run" }).click();
    await phone.page.locator(".station.done", { hasText: "Define an audit entry" }).waitFor();
    await expect.poll(() => has("vault/audit_log.py")).toBe(true);
    await phone.page.close();

    // Meanwhile a refactoring in auto mode changes a file of the rotation, and must ask before it discards
    // work.
    await desk.getByRole("button", { name: "New session", exact: true }).first().click();
    await desk.getByText("What should be done?").waitFor();
    const rename = desk.url();
    await pickMode(desk, "Auto");
    await say(desk, "Call it sign_token");
    await desk.getByText("2 sessions work here: this one and “An audit log”").waitFor();
    await desk.getByRole("button", { name: "Deny…" }).click();
    await sheetOf(desk).getByRole("button", { name: "Deny without a reason" }).click();
    await desk.getByText("It is renamed.").waitFor();
    await rests(desk);

    // The refactoring's undo waits for the plan, which continues without its phone, and reverts no work of
    // the other sessions.
    await desk.getByText("Ran without asking: 2").click();
    await desk.getByRole("button", { name: "Undo this turn" }).click();
    const back = sheetOf(desk).getByRole("button", { name: "Restore the files" });
    await sheetOf(desk)
      .getByText(/^Right now “.*” works in this folder/)
      .waitFor();
    expect(await back.isDisabled()).toBe(true);
    closed.open();
    await sheetOf(desk)
      .getByText(/^Right now “.*” works in this folder/)
      .waitFor({ state: "detached" });
    await sheetOf(desk).getByText("2 files go back to what they were").waitFor();
    const ticked = sheetOf(desk).locator("label:has(input:checked) code");
    expect(await ticked.allTextContents()).toEqual(["vault/keys.py", "vault/report.py"]);
    const foreign = sheetOf(desk).locator("label:has(input:not(:checked)) code");
    expect(await foreign.allTextContents()).toEqual(["tests/test_audit.py"]);
    await back.click();
    await sheetOf(desk).waitFor({ state: "detached" });
    await expect.poll(() => text("vault/keys.py")).toContain("def sign(");
    expect([text("vault/keys.py").includes("2026-11"), text("vault/report.py")]).toEqual([
      ...[true, original["vault/report.py"]],
    ]);
    await countsFiles(desk, rename, /Nothing has changed since the session began/);
    // The undo can be undone even after a reload.
    await desk.reload();
    await desk.goto(`${rename}/changes`);
    await putBack(desk, /Redo/);
    await back.click();
    await sheetOf(desk).waitFor({ state: "detached" });
    await expect.poll(() => text("vault/report.py")).toContain("keys.sign_token(");
    await countsFiles(desk, rename, /^2 files · /);
    await countsFiles(desk, rotation, /^2 files · /);

    // Two minutes later the phone is opened, and its plan is finished.
    const later = await newTab(phone.context, phone.errors);
    await later.clock.install({ time: Date.now() + 120_000 });
    await later.goto(audit);
    await later.getByRole("heading", { name: "Finished" }).waitFor();
    await expect.poll(() => later.locator(".station.done").count()).toBe(3);
    await rests(later);
    await countsFiles(later, audit, /^3 files · /);

    // A commit of one session changes only that session's count.
    await desk.goto(rotation);
    await say(desk, "Commit the key ring");
    await desk.getByText("It is committed.").waitFor();
    await rests(desk);
    await countsFiles(desk, rotation, /Committed [0-9a-f]{7,} on main · 1 file · \+1 −1 since/);
    await desk.goto(`${rotation}/changes`);
    await desk.locator('[id="changed-vault/keys.py"]').waitFor();
    expect(await desk.locator('[id="changed-vault/keyring.py"]').count()).toBe(0);
    await countsFiles(later, audit, /^3 files · /);

    // A step is undone, and then the undo is undone.
    await later.goto(`${audit}/changes`);
    await putBack(later, /Before step 3/);
    await sheetOf(later).getByText("1 file goes back to what it was").waitFor();
    await sheetOf(later).getByRole("button", { name: "Undo to before step 3" }).click();
    await later
      .getByText(/You went back to before step 3/)
      .first()
      .waitFor();
    await rests(later);
    expect([has("tests/test_audit.py"), has("vault/audit_log.py"), has("vault/keyring.py")]).toEqual([
      ...[false, true, true],
    ]);
    await later.goto(`${audit}/changes`);
    await putBack(later, /Redo/);
    await sheetOf(later).getByText("1 file goes back to what it was").waitFor();
    await sheetOf(later).getByRole("button", { name: "Restore the files" }).click();
    await sheetOf(later).waitFor({ state: "detached" });
    expect(has("tests/test_audit.py")).toBe(true);

    // The rotation is imported in a second browser and continues there in a worktree, which is merged back.
    await desk.goto(rotation);
    await turnsStored(desk);
    await say(desk, "/export");
    const [download] = await Promise.all([
      desk.waitForEvent("download"),
      sheetOf(desk).getByText("Everything, as JSON").click(),
    ]);
    const second = await open(false);
    await second.page.goto(`${product.url}/#/settings`);
    await second.page.locator("input[type=file]").setInputFiles(await savedDownload(download));
    await sheetOf(second.page)
      .getByText(/^Use the folder/)
      .click();
    await second.page.locator(".page-head p").getByText("handrail/", { exact: false }).waitFor();
    await say(second.page, "Cover the rotation");
    await second.page.getByText("The rotation is covered.").waitFor();
    await rests(second.page);
    expect(has("tests/test_rotation.py")).toBe(false);
    await countsFiles(second.page, second.page.url(), /^1 file · /);
    await second.page.getByRole("button", { name: "More about this session" }).click();
    await second.page.getByRole("button", { name: /^Bring back/ }).click();
    await second.page.getByRole("button", { name: "Merge into main" }).click();
    await sheetOf(second.page)
      .getByText(/came back to vault/)
      .waitFor();

    // Only undone work is gone, and no session counts changes of the others.
    expect(git("status", "--short").split("\n").sort()).toEqual([
      ...[" M README.md", " M vault/keys.py", " M vault/report.py"],
      ...["?? tests/test_audit.py", "?? vault/audit.py", "?? vault/audit_log.py"],
    ]);
    expect(text("README.md")).toContain("By a person.");
    execFileSync(join(folder, ".venv/bin/python"), ["-m", "unittest", "-q"], {
      cwd: folder,
      stdio: "ignore",
    });
    await countsFiles(desk, rename, /^2 files · /);
    await countsFiles(later, audit, /^3 files · /);
    await countsFiles(desk, rotation, /1 file · \+1 −1 since/);
    expect([desktop, phone, second].flatMap(({ errors }) => errors)).toEqual([]);
  });
});
