// The op `look`: reports changes that others made since a model read a file.
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { GitValue } from "../../shared/git.ts";
import { LookValue } from "../../shared/look.ts";
import { ExecValue, ReadValue, SandboxInfo } from "../../shared/sandbox.ts";
import { hostGit, newHome } from "./host-git.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let workspace: string;
let id: string;
let home: string;
const git = (...args: string[]) => hostGit(home, workspace, ...args);
const file = (name: string, text: string) => writeFile(join(workspace, name), text);
const look = (files: unknown[] = []) => server.client.value(LookValue, id, "look", { files });
const run = (command: string) => server.client.value(ExecValue, id, "exec", { command }, "write");

beforeAll(async () => {
  workspace = await freshFolder("workspace");
  home = newHome(await freshFolder("home"));
  await file("a.txt", "one\n");
  await file("b.txt", "one\n");
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  server = await RunningServer.start({ workspace });
  id = (await server.client.create()).id;
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

test("changed files are named with their current version, deleted ones without a version", async () => {
  const { version } = await server.client.value(ReadValue, id, "read", { path: "a.txt" });
  const known = ["a.txt", "b.txt", "../x"].map((path) => ({ path, version }));
  expect(await look(known)).toEqual({ files: [{ path: "../x", version: null }] });
  await file("a.txt", "two\n");
  await rm(join(workspace, "b.txt"));
  const { files } = await look(known.slice(0, 2));
  const { version: now } = await server.client.value(ReadValue, id, "read", { path: "a.txt" });
  expect(files).toEqual([
    { path: "a.txt", version: now },
    { path: "b.txt", version: null },
  ]);
});

test("a sandbox reports its branch, and none for a detached HEAD", async () => {
  const branch = async () => SandboxInfo.parse((await server.client.get(`/sandboxes/${id}`)).body).branch;
  expect(await branch()).toBe("main");
  await run("git checkout -q -b handrail/limits");
  expect(await branch()).toBe("handrail/limits");
  await run("git checkout -q --detach");
  expect(await branch()).toBeUndefined();
  await run("git checkout -q main");
});

test("a HEAD that somebody else moved is reported once, one that a command of this sandbox moved is not", async () => {
  expect((await look()).moved).toBeUndefined();
  await run("git commit -qam second && git checkout -q -b own");
  expect((await look()).moved).toBeUndefined();
  git("commit", "-q", "--allow-empty", "-m", "third");
  git("checkout", "-q", "main");
  const { moved } = await look();
  expect(moved?.from).toMatchObject({ branch: "own", commit: expect.stringContaining("second") });
  expect(moved?.to).toMatchObject({ branch: "main", commit: expect.stringContaining("second") });
  expect((await look()).moved).toBeUndefined();
});

const countedFrom = async () => {
  const args = { verb: "diff", since: "start", whose: "own" };
  return (await server.client.value(GitValue, id, "git", args)).countedFrom;
};
const newest = () => git("rev-parse", "HEAD").trim();

test("a commit is known as made by this sandbox's commands, whatever they print and do afterwards", async () => {
  git("commit", "-q", "--allow-empty", "-m", "by another");
  await run("true");
  expect((await countedFrom())?.commit).not.toBe(newest());
  await run(
    "echo x >> a.txt && git commit -qam quiet >/dev/null 2>&1; echo y >> a.txt; git checkout -q -- b.txt",
  );
  const quiet = newest();
  expect(await countedFrom()).toMatchObject({ commit: quiet, branch: "main" });
  git("commit", "-q", "--allow-empty", "-m", "by another");
  await run("git checkout -q -b further && git reset -q");
  expect(await countedFrom()).toMatchObject({ commit: quiet, branch: "main" });
  await run("git commit -qam more && git commit -q --amend --no-edit -m amended");
  expect(await countedFrom()).toMatchObject({ commit: newest(), branch: "further" });
  await run("git reset -q --hard HEAD~1 && git checkout -q main");
  expect(await countedFrom()).toMatchObject({ commit: newest(), made: false });
});

test("secrets in a commit's subject and in a branch name are marked", async () => {
  const token = `ghp_${"aB3d".repeat(9)}`;
  git("checkout", "-q", "-b", `of-${token}`);
  git("commit", "-q", "--allow-empty", "-m", `fix ${token}`);
  const told = JSON.stringify(await look());
  expect(told).toContain("redacted");
  expect(told).not.toContain(token);
});
