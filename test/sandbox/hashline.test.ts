// Hashline edits on a running server, with real files and another writer.
import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeAll } from "../../sandbox/ops/change/write-all.ts";
import type { Edit } from "../../shared/hashline/edit.ts";
import { ChangeValue, ReadValue, SearchValue } from "../../shared/sandbox.ts";
import { makeOracle } from "../bench/hashline-oracle.ts";
import { seededRandom } from "../bench/hashline-random.ts";
import { makeEdit, makeScene, textOf } from "../bench/hashline-workload.ts";
import { runs } from "../harness/runs.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

let server: RunningServer;
let workspace: string;

const box = "box";
const onDisk = (path: string) => readFile(join(workspace, path), "utf8");
const put = (path: string, content: string | Buffer) => writeFile(join(workspace, path), content);
const read = (path: string, start?: number, end?: number) =>
  server.client.value(ReadValue, box, "read", {
    path,
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
  });
const change = (...files: unknown[]) => server.client.value(ChangeValue, box, "change", { files });
const refused = (...files: unknown[]) => server.client.failure(box, "change", { files });
/** The references of rows, such as `42foo`. */
const refs = (rows: string): string[] => rows.split("\n").map((row) => row.split("|")[0] ?? "");

beforeAll(async () => {
  workspace = await freshFolder("workspace");
  server = await RunningServer.start({ workspace });
  await server.client.create({ id: box });
});
afterAll(async () => {
  await server.stop();
  await removeFolders();
});

test("stale edits of a file that another process changed are applied by the rule, or change no byte", {
  tags: "random",
}, async () => {
  const random = seededRandom(7);
  let landed = 0;
  for (let round = 0; round < runs(60, 10); round += 1) {
    const scene = makeScene(round % 2 === 0 ? { kind: "look-alikes" } : { kind: "generated source" }, random);
    const path = `stale-${round}.txt`;
    await put(path, textOf(scene.base));
    const { version } = await read(path);
    const oracle = makeOracle(
      scene.base.map(({ text }) => text),
      scene.live.map(({ text }) => text),
    );
    for (let count = 0; count < 4; count += 1) {
      await put(path, textOf(scene.live));
      const planned = makeEdit(scene.base, random);
      const isStale = textOf(scene.base) !== textOf(scene.live);
      const place = isStale ? oracle(planned.from, planned.to) : planned.from;
      const file = { path, base: version, edits: [planned.edit] };
      const result = await server.client.call(box, "change", { files: [file] });
      expect([round, count, result.ok]).toEqual([round, count, place !== null]);
      const expected = scene.live.map(({ text }) => text);
      if (place !== null) expected.splice(place, planned.to - planned.from, ...planned.lines);
      expect(await onDisk(path)).toBe(expected.map((line) => `${line}\n`).join(""));
      if (result.ok) landed += 1;
    }
  }
  expect(landed).toBeGreaterThan(runs(60, 10));
});

test("all problems of all files are reported at once, and no file is touched", async () => {
  await put("one.txt", "a\nb\n");
  await put("two.txt", "c\nd\n");
  const { message, details } = await refused(
    {
      path: "one.txt",
      edits: [
        { op: "delete", at: "9foo" },
        { op: "delete", at: "x" },
      ],
    },
    { path: "new.txt", content: "new\n", base: null },
    { path: "two.txt", edits: [{ op: "replace_text", old: "zz", new: "y" }] },
    { path: "none.txt", edits: [{ op: "append", lines: ["x"] }] },
  );
  for (const told of [
    "no line 9",
    "`x` is not a reference",
    "`old` does not occur",
    "none.txt does not exist",
  ])
    expect(message).toContain(told);
  expect(message).toMatch(/^REJECTED, nothing written/);
  expect(details?.all).toHaveLength(3);
  const missing = await refused({ path: "none.txt", edits: [{ op: "append", lines: ["x"] }] });
  expect(missing).toMatchObject({ code: "not_found" });
  expect(missing.message).toMatch(/^REJECTED, nothing written/);
  const twice = { path: "one.txt", edits: [{ op: "append", lines: ["x"] }] };
  expect((await refused(twice, twice)).message).toMatch(/^REJECTED, nothing written.*named twice/s);
  expect([await onDisk("one.txt"), await onDisk("two.txt")]).toEqual(["a\nb\n", "c\nd\n"]);
  expect(await readdir(workspace)).not.toContain("new.txt");
});

test("a file that changed between check and write keeps the other's content, and so do all others", async () => {
  await put("first.txt", "old\n");
  await put("second.txt", "saved by a formatter\n");
  const write = (path: string, before: string) => ({
    path,
    before: Buffer.from(before),
    after: Buffer.from("ours\n"),
    mode: 0o644,
  });
  const intent = join(await freshFolder("state"), "intent.json");
  await expect(
    writeAll(workspace, [write("first.txt", "old\n"), write("second.txt", "old\n")], intent),
  ).rejects.toMatchObject({
    code: "stale_file",
    message: expect.stringMatching(/^REJECTED, nothing written/),
  });
  expect([await onDisk("first.txt"), await onDisk("second.txt")]).toEqual([
    "old\n",
    "saved by a formatter\n",
  ]);
  expect((await readdir(workspace)).filter((name) => name.startsWith(".handrail"))).toEqual([]);
});

describe("files of every kind", () => {
  test("an empty file has no rows, takes lines at its ends, and can be emptied again", async () => {
    await put("empty.txt", "");
    expect(await read("empty.txt")).toMatchObject({ rows: "", start: 1, end: 0, total: 0, truncated: false });
    await change({ path: "empty.txt", base: "v1", edits: [{ op: "append", lines: ["a", "b"] }] });
    expect(await onDisk("empty.txt")).toBe("a\nb\n");
    const { rows } = await read("empty.txt");
    const [at, to] = refs(rows);
    const { files } = await change({ path: "empty.txt", base: "v2", edits: [{ op: "delete", at, to }] });
    // The same content has the same version.
    expect(files[0]).toMatchObject({ version: "v1", removed: 2, rows: "" });
    expect((await stat(join(workspace, "empty.txt"))).size).toBe(0);
  });

  test("files are created, moved and deleted together; a move never overwrites an existing file", async () => {
    await put("from.txt", "moved\n");
    await put("gone.txt", "gone\n");
    await put("there.txt", "there\n");
    await chmod(join(workspace, "from.txt"), 0o750);
    const [from, gone] = [await read("from.txt"), await read("gone.txt")];
    const move = (moveTo: string) => ({ path: "from.txt", moveTo, base: from.version });
    expect((await refused(move("there.txt"))).details?.reason).toBe("exists");
    await change(
      move("deep/er/to.txt"),
      { path: "gone.txt", delete: true, base: gone.version },
      { path: "deep/new.txt", content: "", base: null },
    );
    expect(await onDisk("deep/er/to.txt")).toBe("moved\n");
    expect((await stat(join(workspace, "deep/er/to.txt"))).mode & 0o7777).toBe(0o750);
    expect((await stat(join(workspace, "deep/new.txt"))).size).toBe(0);
    for (const path of ["from.txt", "gone.txt"]) expect(await readdir(workspace)).not.toContain(path);
  });

  test("a line of 5 MB is shown clipped, can be changed where it was shown, and keeps the rest", async () => {
    const rest = "x".repeat(5_000_000);
    await put("min.js", `start ${rest} needle\nnext\n`);
    const { rows, version } = await read("min.js");
    expect(rows.length).toBeLessThan(2_300);
    expect(rows).toContain("[clipped: 2000 of 5000013 characters shown]");
    const edit = (...edits: Edit[]) => ({ path: "min.js", base: version, edits });
    const [at = ""] = refs(rows);
    expect((await refused(edit({ op: "delete", at }))).details?.reason).toBe("clipped");
    expect((await refused(edit({ op: "replace_text", old: "needle", new: "pin" }))).details?.reason).toBe(
      "clipped",
    );
    const { files } = await change(edit({ op: "replace_text", old: "start", new: "begin" }));
    expect(files[0]?.rows.length).toBeLessThan(3_000);
    expect(await onDisk("min.js")).toBe(`begin ${rest} needle\nnext\n`);
  });

  test("200,000 lines are read in part and edited anywhere, with stale edits too", async () => {
    const lines = Array.from({ length: 200_000 }, (_, index) => `line ${index + 1}`);
    await put("long.txt", `${lines.join("\n")}\n`);
    expect(await read("long.txt")).toMatchObject({ start: 1, end: 2_000, total: 200_000, truncated: true });
    const { rows, version } = await read("long.txt", 199_999, 200_000);
    await put("long.txt", `new\n${lines.join("\n")}\n`);
    const at = refs(rows)[1];
    const edits = [{ op: "replace", at, lines: ["last"] }];
    const { files } = await change({ path: "long.txt", base: version, edits });
    expect(files[0]?.warnings[0]).toContain("200000 → 200001");
    expect((await onDisk("long.txt")).endsWith("line 199999\nlast\n")).toBe(true);
  });

  test("mixed line ends, a BOM and a missing final newline survive an edit byte for byte", async () => {
    await put("mixed.txt", "\ufeffa\r\nb\nc\r\nd \t");
    const { rows, version } = await read("mixed.txt");
    const at = refs(rows)[2];
    const edits = [{ op: "replace", at, lines: ["C", "C2"] }];
    await change({ path: "mixed.txt", base: version, edits });
    expect(await onDisk("mixed.txt")).toBe("\ufeffa\r\nb\nC\r\nC2\r\nd \t");
  });

  test("NUL in written text is refused, unpaired surrogates become U+FFFD and are reported", async () => {
    await put("text.txt", "a\n");
    const append = (line: string) => ({ path: "text.txt", edits: [{ op: "append", lines: [line] }] });
    expect((await refused(append("a\0b"))).details?.reason).toBe("not_text");
    expect((await refused({ path: "nul.txt", content: "a\0", base: null })).code).toBe("not_text");
    const { files } = await change(append("x\ud800y"));
    expect(files[0]?.warnings).toEqual([expect.stringContaining("U+FFFD")]);
    expect(await onDisk("text.txt")).toBe("a\nx\ufffdy\n");
  });

  test("rows of a search can be edited directly", async () => {
    await put("found.txt", "one\n  needle here\nthree\n");
    const { matches } = await server.client.value(SearchValue, box, "search", {
      pattern: "needle",
      glob: "found.txt",
    });
    const [match] = matches;
    const edits = [{ op: "replace", at: refs(match?.rows ?? "")[0], lines: ["  pin here"] }];
    await change({ path: "found.txt", base: match?.version, edits });
    expect(await onDisk("found.txt")).toBe("one\n  pin here\nthree\n");
  });

  test("a change without effect does not touch the file", async () => {
    await put("same.txt", "a\nb\n");
    const before = await stat(join(workspace, "same.txt"));
    const { rows } = await read("same.txt");
    const edits = [{ op: "replace", at: refs(rows)[1], lines: ["b"] }];
    expect((await refused({ path: "same.txt", edits })).details?.reason).toBe("no_change");
    const after = await stat(join(workspace, "same.txt"));
    expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
  });
});
