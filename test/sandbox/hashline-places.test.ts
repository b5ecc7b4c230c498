// Where a change writes: one file is one file whatever path names it, and nobody else's bytes are written over.
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
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

test("a file made through a linked folder has the version that reading it gives", async () => {
  await writeFile(join(workspace, "real/new.txt"), "an older file of that name\n");
  const { version } = await read("real/new.txt");
  await change({ path: "real/new.txt", delete: true, base: version });
  const { files } = await change({ path: "link/new.txt", content: "new\n", base: null });
  expect(files[0]).toMatchObject({ path: "link/new.txt", version: "v2" });
  expect((await read("real/new.txt")).version).toBe("v2");
  expect((await read("link/new.txt")).version).toBe("v2");
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
