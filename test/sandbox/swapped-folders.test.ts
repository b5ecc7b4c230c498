// A folder of the workspace and a link to a folder of the machine are swapped all the time, as fast as a
// process can, while the server works on the workspace. Nothing of the machine appears in an answer, and
// nothing there is written.
// @module-tag long
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { GitValue } from "../../shared/git.ts";
import { SearchValue } from "../../shared/sandbox.ts";
import { SnapshotValue } from "../../shared/snapshot.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

/** renameat2(AT_FDCWD, d, AT_FDCWD, link, RENAME_EXCHANGE): https://man7.org/linux/man-pages/man2/renameat2.2.html */
const exchange = { x64: 316, arm64: 276 }[process.arch as "x64" | "arm64"];
const files = Array.from({ length: 60 }, (_, index) => `f${index}.txt`);
/** Enough rounds for the server of 0.2.0 to show and write files of the machine in each of the tests. */
const rounds = 5;
const secret = "the-host's-own-line";
let swapper: ChildProcess | undefined;
let server: RunningServer;
let workspace: string;
let host: string;
let id: string;
let snapshot: string;

/** Perl passes only writable strings as pointers. */
const names = '$a = "d"; $b = "link";';
const swapOnce = `syscall(${exchange}, -100, $a, -100, $b, 2)`;

/** undefined: nothing exists there. */
async function isLink(path: string): Promise<boolean | undefined> {
  return (await lstat(path).catch(() => undefined))?.isSymbolicLink();
}

/** Makes `d` the folder again, with files that differ from the snapshot. */
async function settle(content: string): Promise<void> {
  if (swapper) {
    const gone = once(swapper, "exit");
    swapper.kill("SIGKILL");
    await gone;
    swapper = undefined;
  }
  const [d, link] = [join(workspace, "d"), join(workspace, "link")];
  if (await isLink(d)) execFileSync("perl", ["-e", `${names} ${swapOnce}`], { cwd: workspace });
  // An undo that finds the link instead of the folder leaves two links, or none. Writing here would then
  // follow a link.
  if (!(await isLink(link))) {
    await rm(link, { recursive: true, force: true });
    await symlink(host, link);
  }
  if ((await isLink(d)) !== false) {
    await rm(d, { force: true });
    await mkdir(join(d, "ignored"), { recursive: true });
    await writeFile(join(d, "ignored", "f.txt"), "ours\n");
  }
  for (const name of files) await writeFile(join(workspace, "d", name), `${content} ${name}\n`);
}

async function startSwapping(): Promise<void> {
  const script = `$| = 1; ${names} print "on\\n"; while (1) { ${swapOnce} }`;
  swapper = spawn("perl", ["-e", script], { cwd: workspace, stdio: ["ignore", "pipe", "inherit"] });
  if (swapper.stdout) await once(swapper.stdout, "data");
}

async function expectUntouched(): Promise<void> {
  expect((await readdir(host)).sort()).toEqual([...files, "ignored"].sort());
  expect(await readdir(join(host, "ignored"))).toEqual(["f.txt"]);
  for (const name of files) expect(await readFile(join(host, name), "utf8")).toBe(`${secret} ${name}\n`);
}

describe.runIf(exchange !== undefined)("while a folder and a link are swapped in a loop", () => {
  beforeAll(async () => {
    const base = await freshFolder("base");
    [workspace, host] = [join(base, "workspace"), join(base, "host")];
    for (const folder of [join(workspace, "d"), host])
      await mkdir(join(folder, "ignored"), { recursive: true });
    await writeFile(join(workspace, ".gitignore"), "ignored\n");
    await writeFile(join(workspace, "d", "ignored", "f.txt"), "ours\n");
    await writeFile(join(host, "ignored", "f.txt"), `${secret}\n`);
    for (const name of files) {
      await writeFile(join(workspace, "d", name), `ours ${name}\n`);
      await writeFile(join(host, name), `${secret} ${name}\n`);
    }
    execFileSync("git", ["init", "-q", workspace]);
    await symlink(host, join(workspace, "link"));
    server = await RunningServer.start({ workspace });
    ({ id } = await server.client.create());
    ({ snapshot } = await server.client.value(SnapshotValue, id, "snapshot", {}));
  });
  afterEach(() => settle("ours"));
  afterAll(async () => {
    await server.stop();
    await removeFolders();
  });

  test("no diff, search, list or read shows anything of the machine", async () => {
    await settle("changed");
    await startSwapping();
    const calls = [
      { op: "git", args: { verb: "diff", since: snapshot } },
      { op: "git", args: { verb: "diff" } },
      { op: "search", args: { pattern: "line", limit: 1000 } },
      { op: "search", args: { pattern: "l[i]ne", regex: true, glob: "d/*" } },
      { op: "list", args: { glob: "**/*.txt" } },
      { op: "read", args: { path: "d/f1.txt" } },
    ] as const;
    for (let round = 0; round < rounds; round++) {
      for (const { op, args } of calls)
        expect(JSON.stringify(await server.client.call(id, op, args, "readonly"))).not.toContain(secret);
    }
    await settle("ours");
    await expectUntouched();
  });

  test("a search does not reveal what exists there either", async () => {
    await startSwapping();
    for (let round = 0; round < rounds * 3; round++) {
      const found = await server.client.call(id, "search", { pattern: "own-line" }, "readonly");
      const { matches } = found.error ? { matches: [] } : z.parse(SearchValue, found.value);
      expect(matches).toEqual([]);
    }
    await settle("ours");
    await expectUntouched();
  });

  test("a snapshot includes nothing of it, nor does an archive", async () => {
    await startSwapping();
    const taken: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const result = await server.client.call(id, "snapshot", {}, "write");
      if (!result.error) taken.push(z.parse(SnapshotValue, result.value).snapshot);
      const archive = await server.client.fetch(`/sandboxes/${id}/archive`);
      const bytes = await archive.arrayBuffer().catch(() => new ArrayBuffer(0));
      expect(Buffer.from(bytes).includes(secret)).toBe(false);
    }
    await settle("ours");
    const [store = ""] = await readdir(join(server.state, "folders"));
    const dir = join(server.state, "folders", store, "snapshots.git");
    for (const tree of taken)
      expect(execFileSync("git", ["--git-dir", dir, "diff", snapshot, tree]).includes(secret)).toBe(false);
    await expectUntouched();
  });

  test("an undo of the sandbox's own changes, of a file or of a hunk writes and shows nothing there", async () => {
    const named = { also: ["d/f1.txt", "link"], except: ["d/f2.txt", "d"] };
    for (let round = 0; round < rounds; round++) {
      await settle(`changed ${round}`);
      const diff = await server.client.value(GitValue, id, "git", { verb: "diff", since: snapshot });
      const [, seen = ""] = /f3\.txt[\s\S]*?\nindex \w+\.\.(\w+)/.exec(diff.stdout) ?? [];
      expect(seen).not.toBe("");
      await startSwapping();
      const told = [];
      for (const args of [
        { snapshot, path: "d/f3.txt", seen, hunk: 1 },
        { snapshot, path: "d/f3.txt", seen },
        { snapshot, own: true, ...named },
        { snapshot, own: true },
      ]) {
        told.push(await server.client.call(id, "restore", args, "write"));
        told.push(await server.client.call(id, "git", { verb: "diff", since: snapshot, whose: "own" }));
        told.push(await server.client.call(id, "git", { verb: "diff", since: snapshot, whose: "others" }));
      }
      expect(JSON.stringify(told)).not.toContain(secret);
      await settle("ours");
      await expectUntouched();
    }
  });

  test("a command on a copy of a snapshot sees none of it, including what git ignores", async () => {
    await settle("ours");
    await startSwapping();
    const command = "cat d/* d/ignored/* link/* link/ignored/* 2>&1; exit 0";
    for (let round = 0; round < rounds * 3; round++)
      expect(
        JSON.stringify(await server.client.call(id, "exec", { command, tree: snapshot }, "readonly")),
      ).not.toContain(secret);
    await settle("ours");
    await expectUntouched();
  });

  test("a change writes nothing there", async () => {
    for (let round = 0; round < rounds; round++) {
      await startSwapping();
      for (const name of files.slice(0, 20))
        await server.client.call(
          id,
          "change",
          { files: [{ path: `d/new-${name}`, content: "x\n", base: null }] },
          "write",
        );
      await settle("ours");
      await expectUntouched();
      for (const name of files.slice(0, 20)) await rm(join(workspace, "d", `new-${name}`), { force: true });
    }
  });

  test("a restore writes and removes nothing there", async () => {
    for (let round = 0; round < rounds; round++) {
      await settle(`changed ${round}`);
      await startSwapping();
      const { error } = await server.client.call(id, "restore", { snapshot }, "write");
      expect(["stale_file", undefined]).toContain(error?.code);
      await settle("ours");
      await expectUntouched();
    }
  });
});
