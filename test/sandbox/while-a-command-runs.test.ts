// Changes that the host makes while a command runs stay the host's: its sockets and FIFOs stay masked, and
// the addresses of its repositories stay unchanged even though the host's git replaced the protected settings
// file.
// @module-tag long
import { execFileSync, spawn } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findProgram } from "../../sandbox/exec/environment.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { SnapshotValue } from "../../shared/snapshot.ts";
import { hostGit, newHome } from "./host-git.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let root: string;
let home: string;
let id: string;
beforeAll(async () => {
  root = await freshFolder("workspace");
  home = newHome(dirname(root));
  hostGit(home, root, "init", "-q");
  hostGit(home, root, "remote", "add", "origin", "https://good.example/x");
  mkdirSync(join(root, "run"));
  server = await RunningServer.start({ workspace: root });
  id = (await server.client.create()).id;
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

const run = (command: string, access: "readonly" | "write" = "write") =>
  server.client.value(ExecValue, id, "exec", { command }, access);

/** Does the host's work after the command has begun and before it runs `then`. */
async function meanwhile(work: () => void | Promise<void>, then = "true"): Promise<ExecValue> {
  for (const name of ["begun", "go"]) rmSync(join(root, name), { force: true });
  const running = run(`touch begun; while [ ! -e go ]; do sleep 0.02; done; ${then}`);
  await expect.poll(() => existsSync(join(root, "begun")), { timeout: 20_000 }).toBe(true);
  await work();
  writeFileSync(join(root, "go"), "");
  return running;
}

function listening(path: string): Promise<Server> {
  rmSync(path, { force: true });
  return new Promise((resolve) => {
    const one = createServer((socket) => socket.end("reached\n")).listen(path, () => resolve(one));
  });
}

const connect = (path: string) =>
  `node -e "require('net').connect('${path}').on('data',(d)=>process.stdout.write(d)).on('error',()=>console.log('cut off'))"`;

test("a service's socket that is recreated or new, and a FIFO that it writes to, stay out of reach", async () => {
  const at = (name: string) => join(root, "run", name);
  execFileSync("mkfifo", [at("f"), at("unread")]);
  const fifo = openSync(at("f"), constants.O_RDWR | constants.O_NONBLOCK);
  const read = () => {
    try {
      return readSync(fifo, Buffer.alloc(100));
    } catch {
      return 0;
    }
  };
  const services = [await listening(at("s.sock"))];
  try {
    await meanwhile(async () => {
      services[0]?.close();
      services.push(await listening(at("s.sock")), await listening(at("new.sock")));
      writeSync(fifo, "the host's");
      execFileSync("mkfifo", [at("new")]);
      read();
    });
    for (const access of ["write", "readonly"] as const) {
      expect((await run(`${connect("run/s.sock")}; ${connect("run/new.sock")}`, access)).stdout).toBe(
        "cut off\ncut off\n",
      );
      await run('for f in f new; do timeout 2 sh -c "echo x > run/$f"; done', access);
      expect(read()).toBe(0);
      expect((await run("test -p run/new && echo a FIFO", access)).stdout).toBe("");
    }
  } finally {
    for (const one of services) one.close();
    closeSync(fifo);
  }
});

test("a service's socket in another network namespace, as in a container, stays out of reach", async () => {
  const path = join(root, "run", "far.sock");
  const service = `require("net").createServer((c) => c.on("error", () => {}).end("reached\\n")).listen("${path}", () => console.log("ready"))`;
  const jailed = ["--dev-bind", "/", "/", "--unshare-net", "--die-with-parent"];
  const far = spawn(findProgram("bwrap") ?? "bwrap", [...jailed, process.execPath, "-e", service], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    // The socket appears while a command runs.
    await meanwhile(() => new Promise<void>((resolve) => far.stdout.once("data", () => resolve())));
    expect((await run(connect("run/far.sock"))).stdout).toBe("cut off\n");
  } finally {
    far.kill("SIGKILL");
  }
});

test("a command reaches its own socket, and a later one may remove what it left", async () => {
  const own = `node -e "const s=require('net').createServer((c)=>c.end('reached\\n')).listen('own.sock')
s.on('listening',()=>require('net').connect('own.sock').on('data',(d)=>{process.stdout.write(d);process.exit()}))"`;
  expect((await run(own)).stdout).toBe("reached\n");
  expect((await run("test -S own.sock && rm own.sock")).exitCode).toBe(0);
});

test("a FIFO that a command left is taken out, so that the next can create it again; one that the host uses stays", async () => {
  const own = "mkfifo run/own && (echo passed > run/own & cat run/own)";
  const { stdout, stderr } = await run(own);
  expect(stdout).toBe("passed\n");
  expect(stderr).toContain("[taken out by the sandbox: run/own (a FIFO is kept from later commands");
  expect((await run(own)).stdout).toBe("passed\n");
  const held = join(root, "run", "held");
  let handle = -1;
  const meanwhileMade = await meanwhile(() => {
    execFileSync("mkfifo", [held]);
    handle = openSync(held, constants.O_RDWR | constants.O_NONBLOCK);
  });
  try {
    expect(meanwhileMade.stderr).toBe("");
    expect((await run("echo x > run/held")).exitCode).not.toBe(0);
    expect(() => readSync(handle, Buffer.alloc(10))).toThrow("EAGAIN");
  } finally {
    closeSync(handle);
  }
});

test("remote addresses do not change, other settings written by the host's git stay", async () => {
  const { stderr } = await meanwhile(
    () => void hostGit(home, root, "config", "user.name", "A Person"),
    "git config remote.origin.url https://evil.example/x; git config --add remote.origin.pushurl https://evil.example/x; git config branch.main.remote https://evil.example/x",
  );
  expect(stderr).toContain("remote.origin.url");
  const settings = hostGit(home, root, "config", "--local", "--list");
  expect(settings).not.toContain("evil");
  expect(settings).toContain("remote.origin.url=https://good.example/x\n");
  expect(settings).toContain("user.name=A Person\n");
});

test("git's old places for addresses, and helpers started by a branch or remote name, are never left", async () => {
  await run(
    "mkdir -p .git/branches .git/remotes; echo /x > .git/branches/origin; echo URL: /x > .git/remotes/origin; git init -q n; mkdir -p n/.git/branches n/.git/remotes; echo /x > n/.git/branches/origin; echo URL: /x > n/.git/remotes/origin; git -C n config branch.main.remote evil::x; git -C n config remote.evil::y.fetch +refs/heads/*:refs/x/*; git -C n config remote.y.url https://example.org/y",
  );
  for (const path of [
    ".git/branches/origin",
    ".git/remotes/origin",
    "n/.git/branches/origin",
    "n/.git/remotes/origin",
  ])
    expect([path, existsSync(join(root, path))]).toEqual([path, false]);
  const settings = hostGit(home, join(root, "n"), "config", "--local", "--list");
  expect(settings).not.toContain("evil");
  expect(settings).toContain("remote.y.url");
});

test.each([
  ["all files", {}],
  ["one", { path: "d/HEAD", seen: "0000000" }],
])("%s that come back create no repository that starts programs", async (_, file) => {
  await run(
    "rm -rf d; mkdir -p d/objects; echo 'ref: refs/heads/main' > d/HEAD; printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tfsmonitor = evil\\n' > d/config",
  );
  const { snapshot } = await server.client.value(SnapshotValue, id, "snapshot", {});
  await run("rm d/HEAD; mkdir d/refs");
  await server.client.value(SnapshotValue, id, "restore", { snapshot, ...file });
  expect(existsSync(join(root, "d", "HEAD"))).toBe(true);
  expect(
    execFileSync("sh", ["-c", "cat d/config 2>/dev/null || true"], { cwd: root }).toString(),
  ).not.toContain("fsmonitor");
});
