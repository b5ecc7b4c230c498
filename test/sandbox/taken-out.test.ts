// Entries that are taken out of a workspace are kept for the person, reported, and put back on request,
// whether the state folder is on the workspace's disk or on another one.
// @module-tag long
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { ExecValue } from "../../shared/sandbox.ts";
import { TakenOutList } from "../../shared/taken-out.ts";
import { fileExists, freshFolder, RunningServer, removeFolders, until } from "./running-server.ts";

const made: string[] = [];
let server: RunningServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
  await removeFolders();
});

async function scene(otherDisk: boolean, prepare: (root: string) => void = () => undefined) {
  const root = await freshFolder("workspace");
  prepare(root);
  const state = otherDisk ? mkdtempSync("/dev/shm/handrail-test-") : await freshFolder("state");
  if (otherDisk) made.push(state);
  const started = await RunningServer.start({ workspace: root, state });
  server = started;
  const { id } = await started.client.create();
  const path = `/sandboxes/${id}/taken-out`;
  return {
    root,
    state,
    run: (command: string) => started.client.value(ExecValue, id, "exec", { command }),
    list: async () => z.parse(TakenOutList, (await started.client.get(path)).body).entries,
    putBack: (entry: string) => started.client.post(`${path}/${encodeURIComponent(entry)}`),
  };
}

describe.each([false, true])("on another disk: %s", (otherDisk) => {
  test("a folder is listed, restored whole once, and then stays", async () => {
    const { root, run, list, putBack } = await scene(otherDisk);
    const { stderr } = await run("mkdir -p v/in; echo x > v/in/a; ln -s a v/in/l; mv v .zed");
    expect(stderr).toContain("the person sees it under");
    const [entry, ...others] = await list();
    expect(entry).toMatchObject({ path: ".zed", yours: false });
    expect(others).toEqual([]);
    expect((await putBack(entry?.id ?? "")).status).toBe(204);
    expect(readFileSync(join(root, ".zed", "in", "l"), "utf8")).toBe("x\n");
    expect(await list()).toEqual([]);
    expect((await putBack(entry?.id ?? "")).status).toBe(404);
    expect((await run("echo x > y")).stderr).toBe("");
    expect(fileExists(join(root, ".zed", "in", "a"))).toBe(true);
  });
});

test("what the person saves while a command runs is never lost, whatever commands leave beside it", async () => {
  const { root, run, list, putBack } = await scene(false, (root) =>
    writeFileSync(join(root, ".envrc"), "export A=1\n"),
  );
  const running = run("touch begun; until test -e go; do sleep 0.05; done");
  await until(() => fileExists(join(root, "begun")));
  // Saves the file as an editor does, by renaming.
  writeFileSync(join(root, ".envrc~"), "export A=2 # mine\n");
  renameSync(join(root, ".envrc~"), join(root, ".envrc"));
  writeFileSync(join(root, "go"), "");
  const { stderr } = await running;
  expect(stderr).toContain("[taken out by the sandbox: .envrc (");
  expect(stderr).toContain("it is the person's own");
  // The command leaves more entries than the server keeps of those from commands.
  await run("for i in $(seq 230); do mkdir -p d$i; echo x > d$i/.envrc; done");
  const mine = (await list()).find(({ yours }) => yours);
  expect(mine).toMatchObject({ path: ".envrc" });
  // The entry that is there now is replaced and kept in turn.
  writeFileSync(join(root, ".envrc"), "third\n");
  expect((await putBack(mine?.id ?? "")).status).toBe(204);
  expect(readFileSync(join(root, ".envrc"), "utf8")).toBe("export A=2 # mine\n");
  expect((await list())[0]).toMatchObject({ path: ".envrc", yours: true });
});

test.each(["../x", "..", "%2e%2e", "about.json", ""])("an id like %j is unknown", async (id) => {
  const { run, putBack } = await scene(false);
  await run("mkdir .zed");
  expect((await putBack(id)).status).toBe(404);
});

test("a server that is killed in the middle of taking files out finishes that when it starts", async () => {
  const state = await freshFolder("state");
  const root = await freshFolder("workspace");
  const first = await RunningServer.start({ workspace: root, state });
  const { id } = await first.client.create();
  const command = `for i in $(seq 400); do git init -q --template= r$i; git -C r$i config core.fsmonitor x; done; mkdir .zed`;
  const running = first.client.value(ExecValue, id, "exec", { command }).catch(() => undefined);
  // The sweep has begun: one of many has been removed.
  await until(() => fileExists(join(root, "r400", ".git", "config")));
  await until(() => {
    const text = readFileSync(join(root, "r1", ".git", "config"), "utf8");
    return text.length > 0 && !text.includes("fsmonitor");
  });
  await first.kill();
  await running;
  const second = await RunningServer.start({ workspace: root, state });
  server = second;
  await second.client.value(ExecValue, id, "exec", { command: "true" });
  for (let index = 1; index <= 400; index++) {
    const text = readFileSync(join(root, `r${index}`, ".git", "config"), "utf8");
    expect([index, text.includes("repositoryformatversion"), text.includes("fsmonitor")]).toEqual([
      index,
      true,
      false,
    ]);
  }
  expect(fileExists(join(root, ".zed"))).toBe(false);
});

const hook = "printf '#!/bin/sh\\n' > nest/.git/hooks/pre-commit; chmod +x nest/.git/hooks/pre-commit";
const hostileNest = `git init -q nest && mkdir -p nest/.git/hooks && ${hook} && git -C nest config core.fsmonitor x`;
const git = (root: string) => execFileSync("git", ["init", "-q", "--template=", root]);

describe("what is put back returns to its own place", () => {
  test.each([
    ["the folder of its repository", "nest", "."],
    ["its git folder", "nest/.git", "../.git"],
  ])("and does not pass through a link that took the place of %s", async (_, place, target) => {
    const { root, run, list, putBack } = await scene(false, git);
    mkdirSync(join(root, ".git", "hooks"), { recursive: true });
    const config = readFileSync(join(root, ".git", "config"), "utf8");
    await run(hostileNest);
    const entries = await list();
    expect(entries.map(({ path }) => path).sort()).toEqual([
      "nest/.git/config",
      "nest/.git/hooks/pre-commit",
    ]);
    expect(entries.map(({ runs }) => runs)).toEqual([["git"], ["git"]]);
    rmSync(join(root, place), { recursive: true });
    symlinkSync(target, join(root, place));
    for (const { id } of entries) {
      const { status, body } = await putBack(id);
      expect(status).toBe(403);
      expect(JSON.stringify(body)).toContain("has a link or a file where a folder was");
    }
    expect(fileExists(join(root, ".git", "hooks", "pre-commit"))).toBe(false);
    expect(readFileSync(join(root, ".git", "config"), "utf8")).toBe(config);
    expect((await list()).length).toBe(2);
  });

  test.each([true, false])(
    "and does not end up in another folder that was moved there (recorded: %s)",
    async (recorded) => {
      const { root, state, run, list, putBack } = await scene(false);
      await run(hostileNest);
      const entries = await list();
      if (!recorded)
        execFileSync("find", [
          state,
          "-name",
          "about.json",
          "-exec",
          "sed",
          "-i",
          's/,"folders":[^]]*]//',
          "{}",
          ";",
        ]);
      git(join(root, "mine"));
      const config = readFileSync(join(root, "mine", ".git", "config"), "utf8");
      renameSync(join(root, "nest"), join(root, "gone"));
      renameSync(join(root, "mine"), join(root, "nest"));
      for (const { id } of entries) {
        const { status, body } = await putBack(id);
        expect(status).toBe(403);
        expect(JSON.stringify(body)).toContain("is another folder than the one this was taken from");
      }
      expect(fileExists(join(root, "nest", ".git", "hooks"))).toBe(false);
      expect(readFileSync(join(root, "nest", ".git", "config"), "utf8")).toBe(config);
      // An entry that an earlier version took out is not put into an existing git folder.
      if (!recorded) return;
      // The entry's own place is free again, so it can be put back.
      rmSync(join(root, "nest"), { recursive: true });
      renameSync(join(root, "gone"), join(root, "nest"));
      for (const { id } of entries) expect((await putBack(id)).status).toBe(204);
      expect(fileExists(join(root, "nest", ".git", "hooks", "pre-commit"))).toBe(true);
    },
  );
});

test("something too large to keep is reported as removed, and displaces nothing", async () => {
  const { run, list } = await scene(false);
  await run("mkdir -p a/.vscode; echo x > a/.vscode/tasks.json");
  const { stderr } = await run("mkdir -p big/.idea b/.zed; truncate -s 80M big/.idea/x");
  expect(stderr).toMatch(/taken out by the sandbox: big\/\.idea \(.*; removed for good: too large to keep\)/);
  expect(stderr).toContain(
    "[1 of these could not be kept and are removed for good; the rest of what was taken out",
  );
  expect((await list()).map(({ path, runs }) => [path, runs])).toEqual([
    [expect.stringMatching(/^b\/\.zed$/), ["editor"]],
    ["a/.vscode", ["editor"]],
  ]);
  const alone = await run("mkdir -p big/.idea; truncate -s 80M big/.idea/x");
  expect(alone.stderr).toContain("removed for good");
  expect(alone.stderr).not.toContain("can put it back");
});
