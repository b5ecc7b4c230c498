// The content of a snapshot and the effects of a restore, in workspaces that are more than a plain folder of
// files.
// @module-tag long
import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { GitValue } from "../../shared/git.ts";
import { ExecValue } from "../../shared/sandbox.ts";
import { SnapshotValue } from "../../shared/snapshot.ts";
import { fileExists, freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let workspace: string;
let id: string;

beforeEach(async () => {
  workspace = await freshFolder("workspace");
  server = await RunningServer.start({ workspace });
  id = (await server.client.create()).id;
});
afterEach(async () => {
  await server.stop();
});
afterAll(removeFolders);

const take = async () => (await server.client.value(SnapshotValue, id, "snapshot", {})).snapshot;
const restore = async (snapshot: string) =>
  (await server.client.value(SnapshotValue, id, "restore", { snapshot })).snapshot;
const run = (command: string) => server.client.value(ExecValue, id, "exec", { command });
const text = (path: string) => readFile(join(workspace, path), "utf8");

async function put(files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), content);
  }
}

function git(cwd: string, ...args: string[]): string {
  const person = ["-c", "user.name=P", "-c", "user.email=p@example.org"];
  return execFileSync("git", [...person, "-C", join(workspace, cwd), ...args], { encoding: "utf8" });
}

describe("repositories inside the workspace", () => {
  test("are restored file by file, committed or not, at any depth; their own history is left alone", async () => {
    await put({ "a.txt": "a\n", "one/x.txt": "x\n", "one/.gitignore": "*.log\n", "one/x.log": "log\n" });
    git("one", "init", "-q");
    git("one", "add", "x.txt");
    git("one", "commit", "-qm", "first");
    await put({ "one/new.txt": "new\n", "two/y.txt": "y\n", "two/deep/er/z.txt": "z\n" });
    git("two", "init", "-q");
    git("two/deep", "init", "-q");
    git("two/deep/er", "init", "-q");
    const state = () => [git("one", "log", "--oneline"), git("one", "ls-files", "-s")];
    const before = state();
    const snapshot = await take();
    await run(
      "echo changed > one/x.txt; rm one/new.txt two/y.txt two/deep/er/z.txt; echo more > two/deep/more.txt; echo later > one/x.log",
    );
    const undo = await restore(snapshot);
    expect([await text("one/x.txt"), await text("one/new.txt")]).toEqual(["x\n", "new\n"]);
    expect([await text("two/y.txt"), await text("two/deep/er/z.txt")]).toEqual(["y\n", "z\n"]);
    expect(fileExists(join(workspace, "two/deep/more.txt"))).toBe(false);
    expect(await text("one/x.log")).toBe("later\n");
    expect(state()).toEqual(before);
    await restore(undo);
    expect([await text("one/x.txt"), await text("two/deep/more.txt")]).toEqual(["changed\n", "more\n"]);
  });

  test("are in the diff, and come back as files if everything was deleted", async () => {
    await put({ "one/x.txt": "x\n" });
    git("one", "init", "-q");
    git("one", "add", ".");
    git("one", "commit", "-qm", "first");
    const snapshot = await take();
    await put({ "one/x.txt": "other\n" });
    const { stdout } = await server.client.value(GitValue, id, "git", { verb: "diff", since: snapshot });
    expect(stdout).toContain("+other");
    await rm(join(workspace, "one"), { recursive: true });
    await restore(snapshot);
    expect(await readdir(join(workspace, "one"))).toEqual(["x.txt"]);
  });
});

describe(".gitignore rules that change between snapshot and restore", () => {
  test("a file that was ignored then stays, though nothing ignores it now", async () => {
    await put({
      ".gitignore": "*.env\nlogs/\n",
      "a.txt": "a\n",
      "my.env": "secret\n",
      "logs/l.txt": "log\n",
    });
    const snapshot = await take();
    await run("echo '' > .gitignore; echo b > a.txt; echo junk > junk.txt");
    const undo = await restore(snapshot);
    expect([await text("my.env"), await text("logs/l.txt")]).toEqual(["secret\n", "log\n"]);
    expect([await text(".gitignore"), await text("a.txt")]).toEqual(["*.env\nlogs/\n", "a\n"]);
    expect(fileExists(join(workspace, "junk.txt"))).toBe(false);
    await restore(undo);
    expect([await text("junk.txt"), await text("my.env")]).toEqual(["junk\n", "secret\n"]);
  });

  test("also where the file with the rules is newer or older than the snapshot, and nested", async () => {
    await put({ "sub/.gitignore": "kept\n", "sub/kept": "1\n", "b.txt": "b\n" });
    const snapshot = await take();
    await rm(join(workspace, "sub/.gitignore"));
    await put({ ".gitignore": "b.txt\n" });
    await restore(snapshot);
    expect([await text("sub/kept"), await text("b.txt"), await text("sub/.gitignore")]).toEqual([
      "1\n",
      "b\n",
      "kept\n",
    ]);
    expect(fileExists(join(workspace, ".gitignore"))).toBe(false);
  });

  test("an ignored file that blocks a restored one is in the snapshot taken before", async () => {
    await put({ "x.txt": "old\n", "dir/y.txt": "y\n", "link/z.txt": "z\n" });
    const snapshot = await take();
    await rm(join(workspace, "x.txt"));
    await rm(join(workspace, "dir"), { recursive: true });
    await rm(join(workspace, "link"), { recursive: true });
    await put({ ".gitignore": "x.txt\ndir\nlink\n" });
    await take();
    await symlink("elsewhere", join(workspace, "link"));
    await put({ "x.txt": "ignored, not to be lost\n", dir: "a file now\n" });
    const undo = await restore(snapshot);
    expect([await text("x.txt"), await text("dir/y.txt")]).toEqual(["old\n", "y\n"]);
    await restore(undo);
    expect([await text("x.txt"), await text("dir")]).toEqual(["ignored, not to be lost\n", "a file now\n"]);
    expect(await readlink(join(workspace, "link"))).toBe("elsewhere");
  });
});

describe("what a restore returns of a file", () => {
  test("content, links and the executable bit; bytes are unchanged, whatever .gitattributes says", async () => {
    await put({
      ".gitattributes": "* text eol=crlf filter=x ident export-ignore\n",
      run: "#!/bin/sh\n$Id$\n",
    });
    await chmod(join(workspace, "run"), 0o755);
    await symlink("run", join(workspace, "link"));
    await symlink("nowhere", join(workspace, "dangling"));
    await writeFile(join(workspace, "bytes"), Buffer.from([0, 255, 13, 10, 10]));
    const snapshot = await take();
    await run("rm link dangling bytes; chmod -x run; ln -s bytes link; echo x >> run");
    await restore(snapshot);
    expect(await text("run")).toBe("#!/bin/sh\n$Id$\n");
    expect((await stat(join(workspace, "run"))).mode & 0o111).toBe(0o111);
    expect((await run("readlink link dangling")).stdout).toBe("run\nnowhere\n");
    expect(await readFile(join(workspace, "bytes"))).toEqual(Buffer.from([0, 255, 13, 10, 10]));
  });

  test("folders exist for their files: an empty one neither comes back nor is removed", async () => {
    await mkdir(join(workspace, "empty"));
    await put({ "full/a.txt": "a\n" });
    const snapshot = await take();
    await rm(join(workspace, "empty"), { recursive: true });
    await mkdir(join(workspace, "younger"));
    await rm(join(workspace, "full"), { recursive: true });
    await restore(snapshot);
    expect((await readdir(workspace)).sort()).toEqual(["full", "younger"]);
  });

  test("a folder that became a file, and a file that became a folder", { tags: "long" }, async () => {
    await put({ "a/b.txt": "b\n", c: "c\n" });
    const snapshot = await take();
    await run("rm -r a c; echo file > a; mkdir c; echo d > c/d");
    const undo = await restore(snapshot);
    expect([await text("a/b.txt"), await text("c")]).toEqual(["b\n", "c\n"]);
    await restore(undo);
    expect([await text("a"), await text("c/d")]).toEqual(["file\n", "d\n"]);
  });
});

test("a workspace without a repository has snapshots too, and no repository afterwards", {
  tags: "long",
}, async () => {
  await put({ "a.txt": "a\n", ".gitignore": "skip\n", skip: "s\n" });
  const snapshot = await take();
  await run("rm a.txt");
  await restore(snapshot);
  expect((await readdir(workspace)).sort()).toEqual([".gitignore", "a.txt", "skip"]);
});

test("a restore waits for a running command and does not remove files under it", {
  tags: "long",
}, async () => {
  await put({ "a.txt": "a\n" });
  const snapshot = await take();
  const running = run("echo b > a.txt; touch begun; while ! test -e go; do sleep 0.05; done; cat a.txt");
  while (!fileExists(join(workspace, "begun"))) await new Promise((resolve) => setImmediate(resolve));
  const restored = restore(snapshot);
  // A snapshot that is requested later waits for the running command.
  await writeFile(join(workspace, "go"), "");
  expect((await running).stdout).toBe("b\n");
  await restored;
  expect([await text("a.txt"), await readdir(workspace)]).toEqual(["a\n", ["a.txt"]]);
});
