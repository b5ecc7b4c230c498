// A snapshot store stays small: it is packed while nothing runs, loses what no one keeps, and stays intact
// wherever packing is interrupted.
// @module-tag long
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { tryJail } from "../../sandbox/jail/jail-trial.ts";
import type { Jail } from "../../sandbox/jail/jailed-process.ts";
import { findToolchains } from "../../sandbox/jail/toolchains.ts";
import { type Folder, Folders } from "../../sandbox/workspace/folder.ts";
import { IdlePacking } from "../../sandbox/workspace/idle-packing.ts";
import { freshFolder, removeFolders, until } from "./running-server.ts";

let jail: Jail | undefined;
let folders: Folders;
let folder: Folder;

beforeAll(async () => {
  const { execPath: node, env } = process;
  const places = {
    home: "/nonexistent",
    path: [],
    node,
    system: ["/usr"],
    hidden: [],
    extra: "none",
    env,
  } as const;
  jail = await tryJail(await freshFolder("state"), findToolchains(places), 1024 ** 3);
});
beforeEach(async () => {
  await open(await freshFolder("workspace"), await freshFolder("state"));
});
afterAll(removeFolders);

async function open(root: string, state: string): Promise<void> {
  folders = new Folders(state, jail);
  folder = await folders.get(root);
}

const store = () => folder.snapshots.store.dir;
const put = (name: string, text: string) => writeFile(join(folder.root, name), text);
const text = (name: string) => readFile(join(folder.root, name), "utf8");
const take = (owner = "a") => folder.snapshots.take(owner);
const git = (...args: string[]) => execFileSync("git", ["--git-dir", store(), ...args], { encoding: "utf8" });
const looseObjects = () =>
  spawnSync("find", [join(store(), "objects"), "-path", "*/objects/??/*", "-type", "f"], { encoding: "utf8" })
    .stdout.split("\n")
    .filter(Boolean);
const packs = () => readdirSync(join(store(), "objects", "pack")).filter((name) => name.endsWith(".pack"));

/** Snapshots of a folder in which one file counts up. */
async function history(length: number): Promise<string[]> {
  const taken: string[] = [];
  for (let round = 0; round < length; round++) {
    await put("count", `${round}\n`.repeat(50));
    await put(`file ${round}`, `of round ${round}\n`);
    taken.push(await take());
  }
  return taken;
}

async function expectRestorable(taken: readonly string[]): Promise<void> {
  for (const [round, snapshot] of taken.entries()) {
    await folder.snapshots.restore(snapshot, "a");
    expect(await text("count")).toBe(`${round}\n`.repeat(50));
    expect(readdirSync(folder.root).length).toBe(round + 2);
  }
}

test("the first snapshot is packed at once: one file per object would take a block each", async () => {
  for (let file = 0; file < 50; file++) await put(`${file}`, `${file} of fifty`);
  await take();
  expect(packs()).toHaveLength(1);
  expect(looseObjects()).toHaveLength(1);
});

describe("packing", () => {
  test("leaves no loose object or reference, and every snapshot can be restored", async () => {
    const taken = await history(6);
    expect(looseObjects().length).toBeGreaterThan(10);
    expect(await folder.snapshots.pack(true)).toBe(true);
    expect([looseObjects(), packs().length]).toEqual([[], 1]);
    expect(
      readdirSync(join(store(), "refs"), { recursive: true }).filter((name) => `${name}`.length > 40),
    ).toEqual([]);
    await expectRestorable(taken);
  });

  test("removes what is no longer kept, in packs as well, and nothing that another owner keeps", async () => {
    await put("secret", "only in the first one's\n");
    const mine = await take("a");
    await put("secret", "in both\n");
    const both = [await take("a"), await take("b")];
    await folder.snapshots.pack(true);
    await folder.snapshots.forget("a");
    expect(await folder.snapshots.pack(true)).toBe(true);
    expect(() => git("cat-file", "-t", mine)).toThrow();
    await expect(folder.snapshots.restore(mine, "b")).rejects.toMatchObject({ code: "not_found" });
    await put("secret", "never packed\n");
    const loose = await take("c");
    await put("secret", "later\n");
    await take("b");
    await folder.snapshots.forget("c");
    expect(await folder.snapshots.pack(false)).toBe(true);
    expect(() => git("cat-file", "-t", loose)).toThrow();
    await folder.snapshots.restore(both[1] ?? "", "b");
    expect(await text("secret")).toBe("in both\n");
  });

  test("drops owners that are gone", async () => {
    await put("x", "1");
    const a = await take("a");
    await put("x", "2");
    const b = await take("b");
    await folder.snapshots.pack(true);
    await folder.snapshots.forgetOthers(new Set(["b"]));
    await expect(folder.snapshots.restore(a, "b")).rejects.toMatchObject({ code: "not_found" });
    await folder.snapshots.restore(b, "b");
  });

  test("gives way to a snapshot", async () => {
    const taken = await history(3);
    const packing = folder.snapshots.pack(true);
    await put("count", "3\n".repeat(50));
    await put("file 3", "of round 3\n");
    taken.push(await take());
    await packing;
    await expectRestorable(taken);
  });

  test("starts by itself once it is worth it, and only while nothing runs", async () => {
    const taken = await history(2);
    for (let file = 0; file < 500; file++) await put(`many ${file}`, `${file}`);
    await take();
    expect(looseObjects().length).toBeGreaterThan(500);
    let asked = 0;
    const isBusy = () => ++asked < 3;
    const packing = new IdlePacking({
      folders,
      isBusy,
      everyMs: 1,
      warn: (message) => expect(message).toBe(""),
    });
    await until(() => looseObjects().length === 0);
    await packing.end();
    expect(asked).toBeGreaterThanOrEqual(3);
    await expectRestorable(taken);
  });
});

test("killed at any point, the store is valid: all snapshots are there and the next one is taken", async () => {
  const taken = await history(12);
  for (let round = 0; round < 10; round++) {
    const ended = folder.snapshots.pack(true);
    // A different moment in each round: from before git has begun to after it is done.
    for (let turn = 0; turn < round * 40; turn++) await new Promise((resolve) => setImmediate(resolve));
    folder.snapshots.interruptPacking();
    await ended;
    git("fsck", "--connectivity-only");
    await put(`again ${round}`, `${round}`);
    await take();
    await rm(join(folder.root, `again ${round}`));
  }
  await expectRestorable(taken);
});

test("an index that a power cut left half-written is rebuilt", async () => {
  const [first = ""] = await history(1);
  await writeFile(join(store(), "index"), "DIRC half of it");
  await put("count", "other");
  await take();
  await expectRestorable([first]);
});

test("what a killed git leaves blocks nothing and is removed", async () => {
  const [first = ""] = await history(1);
  for (const name of [
    "index.lock",
    "packed-refs.lock",
    "sharedindex_x",
    "objects/pack/tmp_pack_x",
    "objects/tmp_obj_x",
  ])
    await writeFile(join(store(), name), "half");
  await mkdir(join(store(), "objects", "ab"), { recursive: true });
  await writeFile(join(store(), "objects", "ab", "tmp_obj_y"), "half");
  await open(folder.root, join(folder.dir, "..", ".."));
  await put("count", "other");
  await take();
  await folder.snapshots.pack(true);
  await expectRestorable([first]);
  expect(
    execFileSync(
      "find",
      [store(), "-name", "*.lock", "-o", "-name", "tmp_*", "-o", "-name", "sharedindex_*"],
      { encoding: "utf8" },
    ),
  ).toBe("");
});
