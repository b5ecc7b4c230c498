// `exec` with `tree`: the command runs in the jail, in a throwaway copy of the files of that tree.
import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readSync } from "node:fs";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ExecValue } from "../../shared/sandbox.ts";
import { hostGit, newHome } from "./host-git.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let workspace: string;
let outside: string;
let home: string;
let id: string;

beforeAll(async () => {
  workspace = await freshFolder("workspace");
  outside = await freshFolder("outside");
  home = newHome(await freshFolder("home"));
  await writeFile(join(workspace, "a.txt"), "before\n");
  await writeFile(join(workspace, ".gitignore"), "deps\nlinked\nplace/own\n");
  await symlink(outside, join(workspace, "place"));
  await mkdir(join(workspace, "deps"));
  await writeFile(join(workspace, "deps/lib.txt"), "installed\n");
  await symlink("deps", join(workspace, "linked"));
  hostGit(home, workspace, "init", "-q");
  hostGit(home, workspace, "add", "a.txt", ".gitignore");
  hostGit(home, workspace, "commit", "-qm", "first");
  server = await RunningServer.start({ workspace });
  id = (await server.client.create()).id;
  await server.client.value(ExecValue, id, "exec", { command: "true" }, "write");
  await writeFile(join(workspace, "a.txt"), "after\n");
  await writeFile(join(workspace, "new.txt"), "new\n");
  // The copy has a link out of the workspace in the place of this folder, which contains something that git
  // ignores.
  await rm(join(workspace, "place"));
  await mkdir(join(workspace, "place"));
  await writeFile(join(workspace, "place/own"), "mine\n");
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

const then = (command: string, access: "readonly" | "write" = "write") =>
  server.client.value(ExecValue, id, "exec", { command, tree: "start" }, access);

async function copies(): Promise<string[]> {
  const folders = join(server.state, "folders");
  const [folder = ""] = await readdir(folders);
  return readdir(join(folders, folder, "snapshots.git", "copies"));
}

test.each(["readonly", "write"] as const)(
  "%s: the files are those from the start, and may be written",
  async (access) => {
    const seen = await then(
      "cat a.txt; ls; echo x > a.txt && echo y > made.txt && cat a.txt made.txt",
      access,
    );
    expect(seen).toMatchObject({ exitCode: 0, stdout: "before\na.txt\ndeps\nlinked\nplace\nx\ny\n" });
    expect(await readFile(join(workspace, "a.txt"), "utf8")).toBe("after\n");
    expect(await readdir(workspace)).not.toContain("made.txt");
    expect((await then("cat a.txt; ls made.txt", access)).stdout).toBe("before\n");
  },
);

test("what git ignores is there, read-only, and so is the repository", async () => {
  const seen = await then(
    "cat deps/lib.txt linked/lib.txt; git log --format=%s; echo x > deps/x; echo x > .git/x",
  );
  expect(seen.stdout).toBe("installed\ninstalled\nfirst\n");
  expect(seen.stderr.match(/Read-only file system/g)).toHaveLength(2);
});

test("neither the current workspace, nor the network, nor anything else outside can be reached", async () => {
  const { stdout } = await then(
    `cat new.txt; cat ${outside}/x; echo x > place/x; ls place/; ls /proc/1/root/home 2>&1 | head -1; (exec 3<>/dev/tcp/127.0.0.1/${new URL(server.url).port}) && echo reached`,
  );
  expect(stdout).not.toMatch(/new|reached/);
  expect(await readdir(outside)).toEqual([]);
});

test("a socket and a FIFO of this machine in ignored files are out of reach, in plan mode and outside it", async () => {
  const heard = createServer((socket) => socket.end("reached"));
  await new Promise<void>((resolve) => heard.listen(join(workspace, "deps", "s"), resolve));
  execFileSync("mkfifo", [join(workspace, "deps", "f")]);
  const reader = openSync(join(workspace, "deps", "f"), constants.O_RDONLY | constants.O_NONBLOCK);
  const connect = `require("net").connect("deps/s").on("data", (d) => console.log(String(d))).on("error", (e) => console.log(e.code))`;
  for (const access of ["readonly", "write"] as const) {
    const { stdout } = await then(`echo x > deps/f; node -e '${connect}'`, access);
    expect(stdout).toMatch(/^E[A-Z]+\n$/);
    expect(readSync(reader, Buffer.alloc(1))).toBe(0);
  }
  closeSync(reader);
  await new Promise((resolve) => heard.close(resolve));
});

test("a command in the copy connects to no Unix socket, not even its own", async () => {
  const own = `const n = require("net"); n.createServer().listen("own.sock", () => n.connect("own.sock", () => { console.log("reached"); process.exit(); }))`;
  expect((await then(`node -e '${own}'`)).stdout).toBe("");
  const command = `node -e '${own}'; rm own.sock`;
  expect((await server.client.value(ExecValue, id, "exec", { command }, "write")).stdout).toBe("reached\n");
});

test("folders deeper than the longest path are removed with the copy", async () => {
  const name = "d".repeat(200);
  const deep = `i=0; while [ $i -lt 40 ]; do mkdir ${name} && cd ${name} || exit 1; i=$((i + 1)); done`;
  expect(await then(deep)).toMatchObject({ exitCode: 0 });
  expect(await copies()).toEqual([]);
});

test("of very many ignored paths only a bounded part is shown", async () => {
  const long = (n: number) => `${"i".repeat(200)}${n}/${"j".repeat(200)}`;
  for (let n = 0; n < 120; n += 1) await mkdir(join(workspace, "deep", long(n)), { recursive: true });
  await writeFile(join(workspace, "deep", ".gitignore"), `${"j".repeat(200)}\n`);
  for (let n = 0; n < 120; n += 1) await writeFile(join(workspace, "deep", long(n), "x"), "");
  const { exitCode, stdout } = await then(`ls -d deep/*/${"j".repeat(200)} | wc -l`);
  expect(exitCode).toBe(0);
  expect(Number(stdout)).toBeGreaterThan(50);
  expect(Number(stdout)).toBeLessThan(100);
  await rm(join(workspace, "deep"), { recursive: true });
});

test("nothing of a copy is left, and an unknown tree is refused", async () => {
  await then("mkdir d; chmod 0 d; touch -t 200001010000 a.txt");
  expect(await copies()).toEqual([]);
  const [result] = await server.client.results(id, {
    calls: [{ key: "unknown", op: "exec", args: { command: "true", tree: "0".repeat(40) } }],
  });
  expect(result).toMatchObject({ ok: false, error: { code: "not_found" } });
});
