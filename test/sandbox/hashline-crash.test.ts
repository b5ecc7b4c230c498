// A server dies in the middle of a change of many files: all are old or all are new, and versions continue.
// @module-tag long
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { recoverIntents } from "../../sandbox/ops/change/intent.ts";
import { writeAll } from "../../sandbox/ops/change/write-all.ts";
import { ChangeValue, ReadValue } from "../../shared/sandbox.ts";
import { runs } from "../harness/runs.ts";
import { freshFolder, RunningServer, removeFolders, until } from "./running-server.ts";

const box = "box";

let state: string;
let folder: string;
beforeEach(async () => {
  state = await freshFolder("state");
  folder = await freshFolder("workspace");
  await mkdir(join(folder, "sub"));
});

const names = Array.from({ length: 300 }, (_, index) => (index % 3 === 0 ? `sub/${index}` : `${index}`));
const contents = async (): Promise<Set<string>> =>
  new Set(await Promise.all(names.map((name) => readFile(join(folder, name), "utf8"))));
const leftovers = () => execFileSync("find", [folder, "-name", ".handrail*"], { encoding: "utf8" });

afterAll(removeFolders);

test("files edited together are all old or all new after a restart, and none is torn", {
  tags: "random",
}, async () => {
  const lines = 20;
  for (const name of names) await writeFile(join(folder, name), "life 0\n".repeat(lines));
  for (let life = 1; life <= runs(5, 2); life += 1) {
    const running = await RunningServer.start({ state, workspace: folder });
    await running.client.create({ id: box });
    const [found = "", ...others] = await contents();
    expect([others, leftovers()]).toEqual([[], ""]);
    const was = found.split("\n")[0] ?? "";
    expect(found).toBe(`${was}\n`.repeat(lines));
    const edits = [{ op: "replace_text", old: was, new: `life ${life}`, all: true }];
    const files = names.map((path) => ({ path, edits }));
    const answer = running.client.call(box, "change", { files }).catch(() => undefined);
    // The first file has been moved into place, the last one not yet.
    await until(async () => (await readFile(join(folder, names[0] ?? ""), "utf8")) !== found);
    await running.kill();

    await answer;
  }
});

test("a file that somebody saves after the crash stays as saved, all others are new after the restart, and the result says to look", {
  tags: "long",
}, async () => {
  for (const name of names) await writeFile(join(folder, name), "old\n");
  const running = await RunningServer.start({ state, workspace: folder });
  await running.client.create({ id: box });
  const edits = [{ op: "replace_text", old: "old", new: "new" }];
  const files = names.map((path) => ({ path, edits }));
  const call = { key: "cut", op: "change" as const, args: { files } };
  const request = { access: "write" as const, calls: [call] };
  const answer = running.client.results(box, request).catch(() => undefined);
  await until(async () => (await readFile(join(folder, names[0] ?? ""), "utf8")) !== "old\n");
  await running.kill();
  await answer;
  const [last = "", ...others] = [...names].reverse();
  await writeFile(join(folder, last), "saved by hand\n");
  const again = await RunningServer.start({ state, workspace: folder });
  const [result] = await again.client.results(box, request);
  expect([result?.ok, result?.error?.code]).toEqual([false, "outcome_unknown"]);
  await again.stop();
  expect(await readFile(join(folder, last), "utf8")).toBe("saved by hand\n");
  const found = await Promise.all(others.map((name) => readFile(join(folder, name), "utf8")));
  expect([[...new Set(found)], leftovers()]).toEqual([["new\n"], ""]);
});

test("a change that met a file somebody had saved, and crashed while undoing itself, leaves the others all old or all new", {
  tags: "long",
}, async () => {
  for (const name of names) await writeFile(join(folder, name), "old\n");
  const running = await RunningServer.start({ state, workspace: folder });
  await running.client.create({ id: box });
  const edits = [{ op: "replace_text", old: "old", new: "new" }];
  const files = names.map((path) => ({ path, edits }));
  let answered = false;
  const answer = running.client.call(box, "change", { files }).then(
    () => true,
    () => true,
  );
  void answer.then((now) => {
    answered = now;
  });
  const [first = "", saved = ""] = [names[0], names[200]].map((name) => join(folder, name ?? ""));
  await until(() => readFileSync(first, "utf8") !== "old\n");
  writeFileSync(saved, "saved by hand\n");
  await until(() => answered || readFileSync(first, "utf8") === "old\n");
  await running.kill();
  await answer;
  const again = await RunningServer.start({ state, workspace: folder });
  await again.stop();
  const others = names
    .filter((_, index) => index !== 200)
    .map((name) => readFile(join(folder, name), "utf8"));
  expect([new Set(await Promise.all(others)).size, leftovers()]).toEqual([1, ""]);
  expect(await readFile(saved, "utf8")).toBe("saved by hand\n");
});

const hashOf = (text: string | null) => text && createHash("sha256").update(text).digest("hex");

test("nothing is forced onto a folder that changed before the first file was moved, and no moved content is lost", async () => {
  const move = [
    { path: "moved", before: null, after: "kept\n" },
    { path: "sub/from", before: "kept\n", after: null },
  ];
  const edit = { path: "edited", before: "old\n", after: "new\n" };
  const cases: [Record<string, string>, Record<string, string>][] = [
    // No file is in place yet.
    [
      { edited: "by hand\n", "sub/from": "kept\n" },
      { edited: "by hand\n", "sub/from": "kept\n" },
    ],
    // One file is in place, and the target of the moved one is occupied.
    [
      { edited: "new\n", moved: "by hand\n", "sub/from": "kept\n" },
      { edited: "new\n", moved: "by hand\n", "sub/from": "kept\n" },
    ],
    // The move was half done, and somebody had saved the file that was to be edited.
    [
      { edited: "by hand\n", moved: "kept\n", "sub/from": "kept\n" },
      { edited: "by hand\n", moved: "kept\n" },
    ],
  ];
  for (const [now, expected] of cases) {
    const intents = await freshFolder("intents");
    const plan = [edit, ...move].map((file, index) => ({ ...file, temporary: `.handrail-tmp-${index}` }));
    for (const { path, after, temporary } of plan) {
      await rm(join(folder, path), { force: true });
      const content = now[path];
      if (content !== undefined) await writeFile(join(folder, path), content);
      if (after !== null && content !== after) await writeFile(join(folder, path, "..", temporary), after);
    }
    const files = plan.map((file) => ({ ...file, before: hashOf(file.before), after: hashOf(file.after) }));
    await writeFile(join(intents, "intent.json"), JSON.stringify({ state: "committed", files }));
    await recoverIntents(folder, intents);
    const found: Record<string, string> = {};
    for (const { path } of plan) {
      const content = await readFile(join(folder, path), "utf8").catch(() => undefined);
      if (content !== undefined) found[path] = content;
    }
    expect([found, leftovers()]).toEqual([expected, ""]);
  }
});

test.each([0, 1, 2, 3])(
  "a change that is being undone with %i files done is undone completely after a crash",
  async (done) => {
    const intents = await freshFolder("intents");
    // Edited, made and deleted files are restored. The last file was not written yet, and somebody has saved
    // it.
    const plan = [
      { path: "sub/edited", before: "new\n", after: "old\n" },
      { path: "fresh/made", before: "made\n", after: null },
      { path: "deleted", before: null, after: "old\n" },
      { path: "saved", before: "old\n", after: "old\n" },
    ].map((file, index) => ({ ...file, temporary: `.handrail-tmp-${index}` }));
    await mkdir(join(folder, "fresh"));
    for (const [index, { path, before, after, temporary }] of plan.entries()) {
      const now = path === "saved" ? "by hand\n" : index < done ? after : before;
      if (now !== null) await writeFile(join(folder, path), now);
      if (index >= done && after !== null) await writeFile(join(folder, path, "..", temporary), after);
    }
    const files = plan.map((file) => ({ ...file, before: hashOf(file.before), after: hashOf(file.after) }));
    const intent = { state: "undoing", files, folders: ["fresh"] };
    await writeFile(join(intents, "intent.json"), JSON.stringify(intent));
    await recoverIntents(folder, intents);
    const here = (await readdir(folder, { recursive: true })).sort();
    expect(here).toEqual(["deleted", "saved", "sub", "sub/edited"]);
    const found = await Promise.all(
      ["deleted", "saved", "sub/edited"].map((path) => readFile(join(folder, path), "utf8")),
    );
    expect(found).toEqual(["old\n", "by hand\n", "old\n"]);
  },
);

test("a change that fails at its last file is undone: edits, moves, new files and their folders", async () => {
  await writeFile(join(folder, "edited"), "old\n", { mode: 0o754 });
  await writeFile(join(folder, "from"), "kept\n");
  await writeFile(join(folder, "there"), "by hand\n");
  const write = (path: string, before: string | null, after: string | null) => ({
    path,
    before: before === null ? null : Buffer.from(before),
    after: after === null ? null : Buffer.from(after),
    mode: path === "edited" ? 0o754 : undefined,
  });
  const writes = [
    write("edited", "old\n", "new\n"),
    write("new/to", null, "kept\n"),
    write("from", "kept\n", null),
    write("there", null, "mine\n"),
  ];
  const intents = await freshFolder("intents");
  await expect(writeAll(folder, writes, join(intents, "i.json"))).rejects.toThrow("there exists already");
  expect((await readdir(folder)).sort()).toEqual(["edited", "from", "sub", "there"]);
  const found = await Promise.all(
    ["edited", "from", "there"].map((path) => readFile(join(folder, path), "utf8")),
  );
  expect(found).toEqual(["old\n", "kept\n", "by hand\n"]);
  expect((await stat(join(folder, "edited"))).mode & 0o777).toBe(0o754);
});

test("a file that somebody saved before the first replacement keeps all of them unchanged, even for a moment", async () => {
  await writeFile(join(folder, "first"), "old\n");
  await writeFile(join(folder, "last"), "by hand\n");
  const write = (path: string) => ({
    path,
    before: Buffer.from("old\n"),
    after: Buffer.from("new\n"),
    mode: undefined,
  });
  const { ino } = await stat(join(folder, "first"));
  const intents = await freshFolder("intents");
  const done = writeAll(folder, [write("first"), write("last")], join(intents, "i.json"));
  await expect(done).rejects.toThrow("at this very moment");
  // If the file had been replaced and restored, it would be another inode with the same content.
  expect((await stat(join(folder, "first"))).ino).toBe(ino);
  expect(await readFile(join(folder, "last"), "utf8")).toBe("by hand\n");
});

test("a change that is refused at the last look, or was undecided at a crash, leaves no folder that it made", async () => {
  await writeFile(join(folder, "a.txt"), "saved meanwhile\n");
  await mkdir(join(folder, "sub/theirs"));
  const intents = await freshFolder("intents");
  const made = ["new/deep/b.txt", "new/c.txt", "sub/theirs/d.txt", "sub/ours/e.txt"];
  const writes = [
    ...made.map((path) => ({ path, before: null, after: Buffer.from("new\n"), mode: undefined })),
    { path: "a.txt", before: Buffer.from("as read\n"), after: Buffer.from("new\n"), mode: undefined },
  ];
  const here = async () => (await readdir(folder, { recursive: true })).sort();
  await expect(writeAll(folder, writes, join(intents, "intent.json"))).rejects.toThrow("at this very moment");
  expect([await here(), await readdir(intents)]).toEqual([["a.txt", "sub", "sub/theirs"], []]);

  await mkdir(join(folder, "new/deep"), { recursive: true });
  await writeFile(join(folder, "new/deep/.handrail-tmp-1"), "ne");
  const file = { path: "new/deep/b.txt", before: null, after: hashOf("new\n"), temporary: ".handrail-tmp-1" };
  const intent = { state: "writing", files: [file], folders: ["new/deep", "new"] };
  await writeFile(join(intents, "intent.json"), JSON.stringify(intent));
  await recoverIntents(folder, intents);
  expect([await here(), await readdir(intents)]).toEqual([["a.txt", "sub", "sub/theirs"], []]);
});

test.each([0, 1, 2, 3])(
  "with %i of three files moved, a decided change is finished, an undecided one undone",
  async (moved) => {
    for (const decided of [true, false]) {
      if (!decided && moved > 0) continue;
      const intents = await freshFolder("intents");
      const plan = [
        { path: "sub/edited", before: "old\n", after: "new\n" },
        { path: "made", before: null, after: "made\n" },
        { path: "deleted", before: "old\n", after: null },
      ].map((file, index) => ({ ...file, temporary: `.handrail-tmp-${index}` }));
      for (const [index, { path, before, after, temporary }] of plan.entries()) {
        const now = index < moved ? after : before;
        await rm(join(folder, path), { force: true });
        if (now !== null) await writeFile(join(folder, path), now);
        const at = join(folder, path, "..", temporary);
        if (after !== null && index >= moved) await writeFile(at, decided ? after : after.slice(0, 1));
      }
      const files = plan.map((file) => ({ ...file, before: hashOf(file.before), after: hashOf(file.after) }));
      const intent = { state: decided ? "committed" : "writing", files };
      await writeFile(join(intents, "intent.json"), JSON.stringify(intent));
      await recoverIntents(folder, intents);
      const expected = plan.map(({ before, after }) => (decided ? after : before));
      const found = await Promise.all(
        plan.map(({ path }) => readFile(join(folder, path), "utf8").catch(() => null)),
      );
      expect([found, leftovers(), await readdir(intents)]).toEqual([expected, "", []]);
    }
  },
);

test("an edit against a version that was read before the crash is applied where its lines moved", async () => {
  await writeFile(join(folder, "a.txt"), "one\ntwo\nthree\n");
  const before = await RunningServer.start({ state, workspace: folder });
  await before.client.create({ id: box });
  const { rows, version } = await before.client.value(ReadValue, box, "read", { path: "a.txt" });
  await before.kill();
  await writeFile(join(folder, "a.txt"), "zero\none\ntwo\nthree\n");
  const after = await RunningServer.start({ state, workspace: folder });
  const edits = [{ op: "replace", at: rows.split("\n")[1]?.split("|")[0], lines: ["TWO"] }];
  await after.client.value(ChangeValue, box, "change", {
    files: [{ path: "a.txt", base: version, edits }],
  });
  expect(await readFile(join(folder, "a.txt"), "utf8")).toBe("zero\none\nTWO\nthree\n");
  await after.stop();
});
