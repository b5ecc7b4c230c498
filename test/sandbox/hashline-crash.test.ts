// A change of many files and a server that dies in the middle of it: all old or all new, and versions go on.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { recoverIntents } from "../../sandbox/ops/change/intent.ts";
import { ChangeValue, ReadValue } from "../../shared/sandbox.ts";
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

test("files that are edited together are all old or all new after a restart, and none is torn", async () => {
  const lines = 20;
  for (const name of names) await writeFile(join(folder, name), "life 0\n".repeat(lines));
  for (let life = 1; life <= 5; life += 1) {
    const running = await RunningServer.start({ state, workspace: folder });
    await running.client.create({ id: box });
    const [found = "", ...others] = await contents();
    expect([others, leftovers()]).toEqual([[], ""]);
    const was = found.split("\n")[0] ?? "";
    expect(found).toBe(`${was}\n`.repeat(lines));
    const edits = [{ op: "replace_text", old: was, new: `life ${life}`, all: true }];
    const files = names.map((path) => ({ path, edits }));
    const answer = running.client.call(box, "change", { files }).catch(() => undefined);
    // The first file is moved into place, the last not yet.
    await until(async () => (await readFile(join(folder, names[0] ?? ""), "utf8")) !== found);
    await running.kill();

    await answer;
  }
});

test.each([0, 1, 2, 3])(
  "with %i of three files moved, a decided change is finished, an undecided one undone",
  async (moved) => {
    const hash = (text: string | null) => text && createHash("sha256").update(text).digest("hex");
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
      const files = plan.map((file) => ({ ...file, before: hash(file.before), after: hash(file.after) }));
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

test("an edit against a version that was read before the crash lands where its lines went", async () => {
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
