// The places that a change writes to: a file is the same file whatever path names it, and nothing that others
// wrote is overwritten.
// @module-tag long
import { readFileSync, writeFileSync } from "node:fs";
import { chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeAll } from "../../sandbox/ops/change/write-all.ts";
import { ChangeValue, ReadValue } from "../../shared/sandbox.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let workspace: string;

const box = "box";
const onDisk = (path: string) => readFile(join(workspace, path), "utf8");
const read = (path: string) => server.client.value(ReadValue, box, "read", { path });
const change = (...files: unknown[]) => server.client.value(ChangeValue, box, "change", { files });
const refused = (...files: unknown[]) => server.client.failure(box, "change", { files });

beforeAll(async () => {
  workspace = await freshFolder("workspace");
  for (const folder of ["real", ".git"]) await mkdir(join(workspace, folder));
  await symlink("real", join(workspace, "link"));
  await symlink(".git", join(workspace, "git-by-another-name"));
  server = await RunningServer.start({ workspace });
  await server.client.create({ id: box });
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

test("a file reached through a linked folder is the same file: not edited and deleted in one request", async () => {
  await writeFile(join(workspace, "real/a.txt"), "a\n");
  const { version } = await read("link/a.txt");
  const edit = { path: "real/a.txt", edits: [{ op: "append", lines: ["b"] }] };
  for (const other of [
    { path: "link/a.txt", delete: true, base: version },
    { path: "link/a.txt", moveTo: "b.txt", base: version },
  ])
    expect((await refused(edit, other)).message).toMatch(/^REJECTED, nothing written.*named twice/s);
  expect(await onDisk("real/a.txt")).toBe("a\n");
});

test("a file created through a linked folder has the version that reading it returns", async () => {
  await writeFile(join(workspace, "real/new.txt"), "an older file of that name\n");
  const { version } = await read("real/new.txt");
  await change({ path: "real/new.txt", delete: true, base: version });
  const { files } = await change({ path: "link/new.txt", content: "new\n", base: null });
  expect(files[0]).toMatchObject({ path: "link/new.txt", version: "v2" });
  expect((await read("real/new.txt")).version).toBe("v2");
  expect((await read("link/new.txt")).version).toBe("v2");
});

test("a link is neither deleted nor moved: the file it points to stays", async () => {
  await writeFile(join(workspace, "real/kept.txt"), "a\n");
  await symlink("real/kept.txt", join(workspace, "to-kept"));
  const { version } = await read("to-kept");
  for (const done of [{ delete: true }, { moveTo: "elsewhere" }])
    expect((await refused({ path: "to-kept", base: version, ...done })).message).toMatch(
      /^REJECTED, nothing written to to-kept.*It is a link/s,
    );
  expect(await onDisk("to-kept")).toBe("a\n");
});

test("nothing is created at or moved to an existing path, a dangling link included", async () => {
  await writeFile(join(workspace, "taken"), "theirs\n");
  await writeFile(join(workspace, "moving"), "a\n");
  await symlink("nowhere", join(workspace, "dangling"));
  const { version } = await read("moving");
  for (const path of ["taken", "dangling"])
    for (const request of [
      { path, content: "ours\n", base: null },
      { path: "moving", moveTo: path, base: version },
    ])
      expect(await refused(request)).toMatchObject({
        code: "stale_file",
        message: expect.stringContaining(`nothing written to ${path}.\nIt exists already.`),
        details: { reason: "exists", path },
      });
  expect([await onDisk("taken"), await onDisk("moving")]).toEqual(["theirs\n", "a\n"]);
});

test("git's own folder is not changed through a link to it", async () => {
  await writeFile(join(workspace, ".git/config"), "[core]\n");
  const edits = [{ op: "append", lines: ["fsmonitor = ./evil"] }];
  expect((await refused({ path: "git-by-another-name/config", edits })).code).toBe("forbidden");
  const hook = { path: "git-by-another-name/hooks/pre-commit", content: "x", base: null };
  expect((await refused(hook)).code).toBe("forbidden");
  expect(await onDisk(".git/config")).toBe("[core]\n");
  expect(await readdir(join(workspace, ".git"))).toEqual(["config"]);
});

test("files that somebody saves during or after replacement keep that content; the others are restored", async () => {
  const names = Array.from({ length: 200 }, (_, index) => `many-${index}`);
  const at = (name = "") => join(workspace, name);
  for (const name of names) await writeFile(at(name), "old\n");
  const writes = names.map((path) => ({
    path,
    before: Buffer.from("old\n"),
    after: Buffer.from("ours\n"),
    mode: 0o644,
  }));
  let done = false;
  const committed = writeAll(workspace, writes, join(await freshFolder("state"), "intent.json")).finally(
    () => {
      done = true;
    },
  );
  const saved = (async () => {
    while (!done && readFileSync(at(names[0]), "utf8") === "old\n")
      await new Promise((resolve) => setImmediate(resolve));
    for (const name of [names[0], names.at(-1)]) writeFileSync(at(name), "saved by a formatter\n");
  })();
  await expect(committed).rejects.toMatchObject({ code: "stale_file" });
  await saved;
  const now = await Promise.all(names.map(onDisk));
  expect(new Set(now.slice(1, -1))).toEqual(new Set(["old\n"]));
  expect([now[0], now.at(-1)]).toEqual(["saved by a formatter\n", "saved by a formatter\n"]);
  expect((await readdir(workspace)).filter((name) => name.startsWith(".handrail"))).toEqual([]);
});

test("a path that would be a file and a folder in one request is refused, and no folder is created", async () => {
  const made = (path: string) => ({ path, content: "x", base: null });
  for (const paths of [
    ["both", "both/a"],
    ["both/a/b", "both"],
  ]) {
    const { code, message } = await refused(...paths.map(made));
    expect(code).toBe("invalid_request");
    expect(message).toMatch(/^REJECTED, nothing written.*both a file and the folder/s);
  }
  expect(await readdir(workspace)).not.toContain("both");
});

test.runIf(process.getuid?.() === 0)(
  "files that the server writes as root keep their owner, set-id bits included",
  async () => {
    await writeFile(join(workspace, "owned"), "a\n");
    await chown(join(workspace, "owned"), 1234, 5678);
    await chmod(join(workspace, "owned"), 0o4750);
    await change({ path: "owned", edits: [{ op: "append", lines: ["b"] }] });
    await change({ path: "owned", moveTo: "owned-too", base: "v2" });
    const { uid, gid, mode } = await stat(join(workspace, "owned-too"));
    expect([uid, gid, (mode & 0o7777).toString(8)]).toEqual([1234, 5678, "4750"]);
  },
);
