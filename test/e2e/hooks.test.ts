// Hooks of a project on the phone: the card with every command in full, Not now, Allow, and again when they have
// changed.
// @module-tag long
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
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

function configure(folder: string, command: string): void {
  const hooks = {
    afterChange: [command],
    beforeTurn: [{ command: "true # first\n# and second", timeoutMs: 5_000 }],
  };
  writeFileSync(join(folder, ".handrail/config.json"), JSON.stringify({ hooks }));
}

test("the project's hooks are shown in full, run once they are allowed, and are asked about again when they change", async ({
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
  await page.getByRole("button", { name: "Look", exact: true }).click();
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
