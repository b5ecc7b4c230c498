// Ordinary work with git keeps working in the jail while git's settings are protected. Whatever cannot work
// is explained.
// @module-tag long
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ExecValue } from "../../shared/sandbox.ts";
import { hostGit, newHome } from "./host-git.ts";
import { fileExists, freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let root: string;
let home: string;
let id: string;
const git = (cwd: string, ...args: string[]) => hostGit(home, cwd, ...args);
const run = (command: string, more: Record<string, unknown> = {}, access: "readonly" | "write" = "write") =>
  server.client.value(ExecValue, id, "exec", { command, ...more }, access);
const sockets = createServer();

beforeAll(async () => {
  root = await freshFolder("workspace");
  home = newHome(dirname(root));
  const model = join(dirname(root), "model");
  for (const place of [root, model]) {
    mkdirSync(place, { recursive: true });
    git(place, "init", "-q");
    writeFileSync(join(place, "a.txt"), "one\n");
    git(place, "add", "-A");
    git(place, "commit", "-qm", "first");
  }
  git(root, "submodule", "--quiet", "add", model, "lib");
  mkdirSync(join(root, ".vscode"));
  writeFileSync(join(root, ".vscode", "settings.json"), "{}\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "module and settings");
  git(root, "branch", "other");
  git(root, "update-ref", "refs/remotes/origin/theirs", "HEAD");
  git(root, "config", "alias.st", "status");
  await new Promise<void>((resolve) => sockets.listen(join(root, "host.sock"), resolve));
  server = await RunningServer.start({ workspace: root });
  id = (await server.client.create()).id;
});
afterAll(async () => {
  await server.stop();
  sockets.close();
  await removeFolders();
});

describe("in the jail works", () => {
  test.each([
    "echo two >> a.txt && git commit -qam two && git log -1 --format=%s",
    // git warns that it could not read the branch's settings.
    "git branch made && git tag v1 && git branch -d made",
    "git checkout -q -b topic && echo t > t.txt && git add t.txt && git commit -qm topic",
    "git checkout -q main && git merge -q --no-edit topic",
    "git checkout -q -b theirs origin/theirs && git checkout -q main",
    "git checkout -q other && git commit -q --allow-empty -m o && git rebase -q main && git checkout -q main",
    "echo s >> a.txt && git stash -q && git stash pop -q && git checkout -q a.txt",
    "cd lib && echo l > l.txt && git add l.txt && git commit -qm lib && cd .. && git commit -qm 'lib moved' lib",
    "git worktree add -q w -b w && cd w && echo w > w.txt && git add w.txt && git commit -qm w",
    "git worktree remove w",
    "git init -q made && cd made && echo m > m && git add m && git commit -qm m",
    "rm -rf made",
    "git clone -q . copied && git -C copied log -1",
    "git -C copied fetch -q && git -C copied checkout -q -b x",
    "rm -rf copied && git gc -q && git fsck",
    "git clone -q --shared . shared && git -C shared log -1 && rm -rf shared",
    "git reflog -1 && git cherry-pick --no-commit HEAD~1 && git reset -q --hard",
  ])("%s", async (command) => {
    const value = await run(command);
    expect(value).toMatchObject({ exitCode: 0 });
    expect(value.stderr).not.toContain("taken out by the sandbox");
  });
});

test.each([
  "git config user.name x",
  "git config alias.x status",
  "git remote add x https://example.org/x",
  "echo x > .git/hooks/pre-commit",
])("what changes git's settings fails, and the result says why: %s", async (command) => {
  const value = await run(command);
  expect(value.exitCode).not.toBe(0);
  expect(value.stderr).toContain("[held by the sandbox: git's configuration");
  expect(git(root, "config", "alias.st")).toBe("status\n");
});

test("what is taken out is named in the result and kept for the person", async () => {
  const { stderr } = await run("git init -q n && git -C n config core.fsmonitor ./x && mkdir .zed");
  expect(stderr).toContain("[taken out by the sandbox: .zed (");
  expect(stderr).toMatch(/\[taken out by the sandbox: n\/\.git\/config \(.*core\.fsmonitor\)\]/);
  expect(readFileSync(join(root, "n", ".git", "config"), "utf8")).toContain("repositoryformatversion");
  const kept = await run("true");
  expect(kept.stderr).toBe("");
  await run("rm -rf n");
});

test("editor settings are protected, and written where the person allows the call", async () => {
  const refused = await run("echo x > .vscode/settings.json");
  expect(refused.exitCode).not.toBe(0);
  expect(refused.stderr).toContain("[held by the sandbox: settings of editors");
  await run("mkdir -p .idea && echo x > .idea/x && echo '{ }' > .vscode/settings.json", { editors: true });
  expect(readFileSync(join(root, ".vscode", "settings.json"), "utf8")).toBe("{ }\n");
  expect(fileExists(join(root, ".idea", "x"))).toBe(true);
});

test("the op change writes them only where the person allows the call", async () => {
  for (const path of [".vscode/tasks.json", "sub/.envrc", ".VSCODE/x", ".mcp.json"]) {
    const files = [{ path, content: "x\n", base: null }];
    expect((await server.client.failure(id, "change", { files })).code).toBe("forbidden");
    expect((await server.client.call(id, "change", { files, editors: true })).ok).toBe(true);
  }
});

test("the op change cannot create a repository from ordinary files", async () => {
  const files = ["b/HEAD", "b/objects/x", "b/refs/x", "b/config"].map((path) => ({
    path,
    content: "x\n",
    base: null,
  }));
  expect((await server.client.failure(id, "change", { files })).code).toBe("forbidden");
  await run("mkdir -p b/objects b/refs; echo 'ref: refs/heads/main' > b/HEAD");
  const last = { files: [{ path: "b/config", content: "[core]\n", base: null }] };
  expect((await server.client.failure(id, "change", last)).code).toBe("forbidden");
  await run("rm -rf b");
});

test.each(["readonly", "write"] as const)(
  "with %s access a socket and a FIFO of the host are out of reach",
  async (access) => {
    const connect = `node -e "require('net').connect('host.sock').on('connect',()=>console.log('reached')).on('error',()=>console.log('cut off'))"`;
    expect((await run(connect, {}, access)).stdout).toBe("cut off\n");
    expect((await run("rm -f host.sock", {}, access)).exitCode).not.toBe(0);
  },
);

test("a folder that holds a socket of the host cannot be moved: another jail may mask it meanwhile", async () => {
  mkdirSync(join(root, "run", "in"), { recursive: true });
  const deep = createServer();
  await new Promise<void>((resolve) => deep.listen(join(root, "run", "in", "s.sock"), resolve));
  try {
    for (const command of ["mv run away", "mv run/in run/away", "rm -rf run"])
      expect((await run(command)).exitCode).not.toBe(0);
    expect((await run("echo x > run/in/file && rm run/in/file")).exitCode).toBe(0);
  } finally {
    deep.close();
  }
});

test("a socket that a command left does not disturb the next command", async () => {
  const serve = `node -e "const s=require('net').createServer().listen('own.sock',()=>{require('fs').renameSync('own.sock','kept.sock');process.exit()})"`;
  expect((await run(`${serve}; test -S kept.sock`)).exitCode).toBe(0);
  expect((await run("rm kept.sock")).exitCode).toBe(0);
});
