// One file, or one hunk of it, is reverted to a snapshot. This is refused if it differs from what the person
// saw.
import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { diffBytes } from "../../sandbox/limits.ts";
import { GitValue } from "../../shared/git.ts";
import { SnapshotValue } from "../../shared/snapshot.ts";
import { runs } from "../harness/runs.ts";
import { fileExists, freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let served: string;
let workspace: string;
let id: string;

beforeAll(async () => {
  served = await freshFolder("served");
  server = await RunningServer.start({ workspace: served });
});
beforeEach(async () => {
  workspace = await mkdtemp(join(served, "workspace-"));
  await put("a.txt", lines());
  id = (await server.client.create({ source: { path: basename(workspace) } })).id;
  await take();
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

const lines = (changed: Record<number, string> = {}) =>
  Array.from({ length: 40 }, (_, at) => `${changed[at] ?? `line ${at}`}\n`).join("");
const take = async () => (await server.client.value(SnapshotValue, id, "snapshot", {})).snapshot;
const diff = async (since = "start") =>
  (await server.client.value(GitValue, id, "git", { verb: "diff", since })).stdout;
const seenOf = (text: string) => /^index [0-9a-f]+\.\.([0-9a-f]+)/m.exec(text)?.[1] ?? "";
const revert = (args: object) =>
  server.client.value(SnapshotValue, id, "restore", { snapshot: "start", path: "a.txt", ...args });
const text = (path: string) => readFile(join(workspace, path), "utf8");

async function put(path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(join(workspace, path)), { recursive: true });
  await writeFile(join(workspace, path), content);
}

test("one file is reverted, the others stay, and the snapshot taken before undoes that", async () => {
  await put("a.txt", lines({ 3: "changed" }));
  await put("b.txt", "new\n");
  const { snapshot } = await revert({ seen: seenOf(await diff()) });
  expect([await text("a.txt"), await text("b.txt")]).toEqual([lines(), "new\n"]);
  await server.client.value(SnapshotValue, id, "restore", { snapshot });
  expect(await text("a.txt")).toBe(lines({ 3: "changed" }));
});

test("one hunk is reverted, whatever else differs in the file", async () => {
  const changed = { 3: "three", 20: "twenty", 35: "thirty-five" };
  await put("a.txt", lines(changed));
  await revert({ seen: seenOf(await diff()), hunk: 2 });
  expect(await text("a.txt")).toBe(lines({ 3: "three", 35: "thirty-five" }));
});

test("a new file is removed, a deleted one returns", async () => {
  await put("deep/new.txt", "new\n");
  await revert({ path: "deep/new.txt", seen: seenOf(await diff()) });
  expect(fileExists(join(workspace, "deep/new.txt"))).toBe(false);
  await rm(join(workspace, "a.txt"));
  await revert({ seen: "0000000" });
  expect(await text("a.txt")).toBe(lines());
});

test("a file that has changed since it was seen is left alone, whole and by hunk", async () => {
  await put("a.txt", lines({ 3: "seen" }));
  const seen = seenOf(await diff());
  await put("a.txt", lines({ 3: "newer" }));
  for (const more of [{}, { hunk: 1 }]) await expect(revert({ seen, ...more })).rejects.toThrow("stale_file");
  expect(await text("a.txt")).toBe(lines({ 3: "newer" }));
});

test("an unchanged file has nothing to revert, and an ignored one in its place is not overwritten", {
  tags: "long",
}, async () => {
  await expect(revert({ seen: "1234567" })).rejects.toThrow("stale_file");
  await put(".gitignore", "a.txt\n");
  await rm(join(workspace, "a.txt"));
  await take();
  await put("a.txt", "ignored\n");
  await expect(revert({ seen: "0000000" })).rejects.toThrow("stale_file");
  expect(await text("a.txt")).toBe("ignored\n");
});

test("of a snapshot's ignored files, only the reverted one is kept in the snapshot taken before", {
  tags: "long",
}, async () => {
  await put("b.txt", "b\n");
  const since = await take();
  await put(".gitignore", "a.txt\nb.txt\n");
  for (const path of ["a.txt", "b.txt"]) await rm(join(workspace, path));
  await take();
  await put("a.txt", "ignored\n");
  await put("b.txt", "not in the way\n");
  const seen = execFileSync("git", ["hash-object", join(workspace, "a.txt")], { encoding: "utf8" }).trim();
  const { snapshot } = await revert({ snapshot: since, seen });
  expect(await text("a.txt")).toBe(lines());
  const shown = await diff(snapshot);
  expect([shown.includes("-ignored"), shown.includes("not in the way")]).toEqual([true, false]);
  await put("b.txt", "later\n");
  await server.client.value(SnapshotValue, id, "restore", { snapshot });
  expect([await text("a.txt"), await text("b.txt")]).toEqual(["ignored\n", "later\n"]);
});

test.each([
  [{ seen: "1234567", path: "../x" }, "path_escape"],
  [{ seen: "1234567", path: ".git/config" }, "forbidden"],
  [{ path: "a.txt" }, "invalid_request"],
  [{ path: "a.txt", seen: "zz" }, "invalid_request"],
  [{ path: "a.txt", seen: "1234567", hunk: 0 }, "invalid_request"],
  [{ path: "a.txt", seen: "1234567", snapshot: "0".repeat(40) }, "not_found"],
])("%j is refused as %s", async (args, code) => {
  await expect(revert(args)).rejects.toThrow(code);
});

test("a missing hunk names how many there are; a folder is not a file", { tags: "long" }, async () => {
  await put("a.txt", lines({ 3: "changed" }));
  const seen = seenOf(await diff());
  await expect(revert({ seen, hunk: 2 })).rejects.toThrow("1 of them");
  await put("dir/x", "x\n");
  await put("dir/y", "y\n");
  await expect(revert({ path: "dir", seen: "1234567" })).rejects.toThrow("invalid_request");
});

test("line ends, a missing final newline and the file's mode stay unchanged", {
  tags: "long",
}, async () => {
  await put("crlf.txt", "one\r\ntwo\r\nthree");
  await chmod(join(workspace, "crlf.txt"), 0o755);
  const since = await take();
  await put("crlf.txt", "one\r\nTWO\nthree\n");
  const seen = seenOf(await diff(since));
  await revert({ snapshot: since, path: "crlf.txt", seen, hunk: 1 });
  expect(await text("crlf.txt")).toBe("one\r\ntwo\r\nthree");
  expect((await stat(join(workspace, "crlf.txt"))).mode & 0o111).toBe(0o111);
});

test("a binary file is reverted whole", { tags: "long" }, async () => {
  const before = Buffer.from([0, 1, 2, 255, 254]);
  await put("bin", before);
  const since = await take();
  await put("bin", Buffer.from([0, 9, 9]));
  await revert({ snapshot: since, path: "bin", seen: seenOf(await diff(since)) });
  expect(await readFile(join(workspace, "bin"))).toEqual(before);
});

test("a difference too long to be shown whole can be reverted only as a whole file", {
  tags: "long",
}, async () => {
  await put("long.txt", "x\n");
  const since = await take();
  await put("long.txt", `y\n${"z\n".repeat(diffBytes)}`);
  const args = { snapshot: since, path: "long.txt", seen: seenOf(await diff(since)) };
  await expect(revert({ ...args, hunk: 1 })).rejects.toThrow("only the whole file");
  await revert(args);
  expect(await text("long.txt")).toBe("x\n");
});

test("a text that is not UTF-8 can be reverted only as a whole file", { tags: "long" }, async () => {
  const before = Buffer.concat([Buffer.from([0xe9]), Buffer.from(` caf\n${lines()}`)]);
  await put("latin.txt", before);
  const since = await take();
  await put("latin.txt", Buffer.concat([before, Buffer.from("more\n")]));
  const seen = seenOf(await diff(since));
  const args = { snapshot: since, path: "latin.txt", seen };
  const now = await readFile(join(workspace, "latin.txt"));
  await put("latin.txt", Buffer.concat([Buffer.from([0xe8]), now.subarray(1)]));
  const other = { ...args, seen: seenOf(await diff(since)) };
  await expect(revert({ ...other, hunk: 1 })).rejects.toThrow("only the whole file");
  await revert(other);
  expect(await readFile(join(workspace, "latin.txt"))).toEqual(before);
});

for (const path of ["*.txt", ":(glob)**", "[ab].txt", ":!a.txt"])
  test(`a file called ${path} is reverted alone`, { tags: path === "*.txt" ? [] : "long" }, async () => {
    await put(path, "before\n");
    const since = await take();
    await put(path, "after\n");
    await put("b.txt", "new\n");
    await put("a.txt", lines({ 3: "changed" }));
    const shown = (await diff(since)).split(/^(?=diff --git )/m).find((one) => one.includes("-before"));
    await revert({ snapshot: since, path, seen: seenOf(shown ?? "") });
    expect([await text(path), await text("b.txt"), await text("a.txt")]).toEqual([
      ...["before\n", "new\n", lines({ 3: "changed" })],
    ]);
  });

test("reverting every hunk, in any order of looking again, restores the snapshot's content", {
  tags: "random",
}, async () => {
  const some = fc.array(fc.integer({ min: 0, max: 39 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(some, fc.array(fc.nat(), { minLength: 8, maxLength: 8 }), async (places, picks) => {
      await put("a.txt", lines(Object.fromEntries(places.map((at) => [at, `other ${at}`]))));
      for (const pick of picks) {
        const now = await diff();
        const count = now.split("\n@@ ").length - 1;
        if (count < 1) break;
        await revert({ seen: seenOf(now), hunk: (pick % count) + 1 });
      }
      expect(await text("a.txt")).toBe(lines());
    }),
    { numRuns: runs(8, 2) },
  );
});
