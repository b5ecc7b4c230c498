// Hooks of a project on the phone: the card shows every command in full, and offers Not now and Allow. It
// appears again when the hooks have changed.
// @module-tag long
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { gate } from "../harness/gate.ts";
import { test as plain } from "./fixture.ts";
import { newSession, pair, say } from "./phone.ts";
import { shown } from "./shown-screen.ts";

const test = plain
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern that no other fixture is needed.
  .extend("folder", { scope: "file" }, ({}, { onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), "handrail-hooks-"));
    onCleanup(() => rmSync(folder, { recursive: true, force: true }));
    execFileSync("git", ["init", "-q", folder]);
    mkdirSync(join(folder, ".handrail"));
    configure(folder, "echo one >> hooks.log");
    return folder;
  })
  .extend("serverEnv", { scope: "file" }, ({ folder }) => ({ HANDRAIL_WORKSPACE: folder }));

function configure(folder: string, command: string, beforeTurn = "true # first\n# and second"): void {
  const hooks = { afterChange: [command], beforeTurn: [{ command: beforeTurn, timeoutMs: 50_000 }] };
  writeFileSync(join(folder, ".handrail/config.json"), JSON.stringify({ hooks }));
}

test("the project's hooks are shown in full, run once they are allowed, and are asked for again when they change", async ({
  page,
  product,
  model,
  folder,
}) => {
  const card = page.getByRole("article", { name: "Hooks of the project" });
  const write = (path: string, words: string) => [
    { calls: [{ id: path, name: "write_file", args: { path, content: "x\n", base: null } }] },
    { text: words },
  ];
  const log = () => readFileSync(join(folder, "hooks.log"), "utf8");
  await pair(page, product);
  await newSession(page);
  model.play(write("one.txt", "First is written."));
  await say(page, "Write one.txt");
  await page.getByText("First is written.").waitFor();
  expect(log).toThrow();
  await card.getByText("echo one >> hooks.log").waitFor();
  await card.getByText("# and second", { exact: false }).waitFor();
  await card.scrollIntoViewIfNeeded();
  const [heading, label] = await Promise.all(
    [card.getByRole("heading"), card.getByText(/^After each change/)].map((words) => words.boundingBox()),
  );
  expect(heading?.x).toBe(label?.x);
  await shown(page, "hooks-card");
  await card.getByRole("button", { name: "Not now" }).click();
  await page.getByText("The project's hooks do not run.").waitFor();
  await page.getByRole("button", { name: "Review", exact: true }).click();
  await card.getByRole("button", { name: "Allow" }).click();
  await page.getByText("You allowed the project's hooks.").first().waitFor();
  model.play(write("two.txt", "Second is written."));
  await say(page, "Write two.txt");
  await page.getByText("Second is written.").waitFor();
  expect(log()).toBe("one\n");

  configure(folder, "echo evil >> hooks.log");
  model.play(write("three.txt", "Third is written."));
  await say(page, "Write three.txt");
  await page.getByText("Third is written.").waitFor();
  expect(log()).toBe("one\n");
  await card.getByText("echo evil >> hooks.log").waitFor();
});

test("a hook that runs around a turn is shown with its command, its clock and its limit, and explains why Allow waits", async ({
  page,
  product,
  model,
  folder,
}) => {
  const waits = "until [ -e go ]; do sleep 0.02; done";
  configure(folder, "true", waits);
  const { passed, open } = gate();
  model.play([{ hold: passed, text: "First." }]);
  await pair(page, product);
  await newSession(page);
  await say(page, "Wait");
  await page.getByText("You can allow them once this turn is over.").waitFor();
  open();
  await page.getByText("First.").waitFor();
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByText("You allowed the project's hooks.").first().waitFor();
  model.play([{ text: "Second." }]);
  await say(page, "Go");
  const now = page.locator(".now-calls");
  await now.getByText(waits).first().waitFor();
  expect(await now.locator("summary b").textContent()).toBe("Hook");
  await now.getByText("Ends after 50 s at the latest").waitFor();
  expect(await page.getByText("Thinking").count()).toBe(0);
  await shown(page, "hook-runs");
  writeFileSync(join(folder, "go"), "");
  await page.getByText("Second.").waitFor();
  await now.waitFor({ state: "detached" });
});
