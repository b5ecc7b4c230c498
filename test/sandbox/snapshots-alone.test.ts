// What works in the store of a folder's snapshots at the same time, and what happens if the folder or a list cannot
// be read. Without a server, which would hide most of it.
// @module-tag long
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { GitRunner, type GitStep } from "../../sandbox/workspace/git-runner.ts";
import { OwnChanges } from "../../sandbox/workspace/own-changes.ts";
import { SnapshotStore } from "../../sandbox/workspace/snapshot-store.ts";
import { Snapshots } from "../../sandbox/workspace/snapshots.ts";
import { gate } from "../harness/gate.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

let root: string;
let store: SnapshotStore;
let snapshots: Snapshots;
beforeEach(async () => {
  root = await freshFolder("workspace");
  const dir = join(dirname(root), "store");
  store = new SnapshotStore(dir, new GitRunner({ root, store: dir, jail: undefined }), root);
  snapshots = new Snapshots(store, async () => undefined);
  await writeFile(join(root, "a.txt"), "one\n");
});
afterAll(removeFolders);

test("one thing is done in the store at a time, and nothing is packed meanwhile", async () => {
  await snapshots.take("owner");
  const [first, order] = [gate(), [] as string[]];
  const works = ["first", "second"].map((name, index) =>
    snapshots.alone(async () => {
      order.push(`${name} begins`);
      if (index === 0) await first.passed;
      order.push(`${name} ends`);
    }),
  );
  await setImmediate();
  const later = async () => {
    for (let n = 0; n < 50; n += 1) await stat(root);
    return "waits";
  };
  expect(await Promise.race([snapshots.pack(true), later()])).toBe(false);
  first.open();
  await Promise.all(works);
  expect(order).toEqual(["first begins", "first ends", "second begins", "second ends"]);
  expect(await snapshots.pack(true)).toBe(true);
});

test("nothing is packed while an archive is sent", async () => {
  // More than fits into a pipe, so that git waits for a reader.
  await writeFile(join(root, "large"), Buffer.alloc(1024 * 1024));
  await snapshots.take("owner");
  const tar = await snapshots.tar();
  expect(await snapshots.pack(true)).toBe(false);
  tar.resume();
  await new Promise((resolve) => tar.once("close", resolve));
  expect(await snapshots.pack(true)).toBe(true);
});

test("if a folder cannot be read when a command ends, only what changed until the next look is the sandbox's", async () => {
  const own = new OwnChanges(join(dirname(root), "own.json"), "own");
  const start = await snapshots.take("owner", own);
  await snapshots.commandBegins(own);
  await writeFile(join(root, "mine.txt"), "mine\n");
  await rename(root, `${root}-away`);
  await snapshots.commandEnded(own);
  await rename(`${root}-away`, root);
  await snapshots.take("owner", own);
  await writeFile(join(root, "theirs.txt"), "theirs\n");
  const view = { own, whose: "own" } as const;
  const { stdout } = await snapshots.diff(start, { view });
  expect(stdout.match(/^\+\w+$/gm)).toEqual(["+mine"]);
});

describe("of a sandbox's own changes,", () => {
  let own: OwnChanges;
  let start: string;
  const put = (name: string, text: string) => writeFile(join(root, name), text);
  const command = async (work: () => Promise<unknown>) => {
    await snapshots.commandBegins(own);
    await work();
    await snapshots.commandEnded(own);
  };
  const changed = async () => {
    const { stdout, mixed } = await snapshots.diff(start, { view: { own, whose: "own" } });
    return [...(stdout.match(/^[+-]\w+$/gm) ?? []), ...(mixed ?? [])];
  };
  beforeEach(async () => {
    own = new OwnChanges(join(dirname(root), "own.json"), "own");
    await put("a.txt", "one\ntwo\n3\n4\n5\n6\n7\n");
    start = await snapshots.take("owner");
    await own.begin(start);
  });

  test("those of a command count however often the folder is looked at while it runs", async () => {
    await command(async () => {
      for (const name of ["first", "second"]) {
        await put(name, `${name}\n`);
        await snapshots.take("owner", own);
      }
    });
    expect(await changed()).toEqual(["+first", "+second"]);
  });

  test("what they need is kept when the store is packed", async () => {
    await put("theirs", "theirs\n");
    await command(() => put("mine", "mine\n"));
    await snapshots.pack(true);
    expect(await changed()).toEqual(["+mine"]);
  });

  test("so is the text that a change wrote and somebody changed at once", async () => {
    const [before, after] = ["one\ntwo\n3\n4\n5\n6\n7\n", "mine\ntwo\n3\n4\n5\n6\n7\n"];
    const edit = { path: "a.txt", before: Buffer.from(before), after: Buffer.from(after), mode: undefined };
    await snapshots.edit(own, [edit]);
    await put("a.txt", after.replace("7", "theirs"));
    await snapshots.pack(true);
    expect(await changed()).toEqual(["-one", "+mine"]);
  });

  test("lines that others changed too stay reported", async () => {
    await command(() => put("a.txt", "mine\ntwo\n"));
    await put("a.txt", "theirs\ntwo\n");
    expect(await changed()).toContain("a.txt");
    await put("b.txt", "b\n");
    expect(await changed()).toContain("a.txt");
  });

  test("those since the beginning are told also where the folder is as it was then", async () => {
    await put("theirs", "theirs\n");
    await snapshots.take("owner", own);
    await command(() => rm(join(root, "theirs")));
    expect(await snapshots.take("owner", own)).toBe(start);
    expect(await changed()).toEqual(["-theirs"]);
  });
});

test("a list that is cut off is refused rather than believed", async () => {
  class CutOff extends GitRunner {
    override async one(_: GitStep) {
      return { exitCode: 0, stdout: "a.txt\0b.t", truncated: true };
    }
  }
  const cut = new SnapshotStore(store.dir, new CutOff({ root, jail: undefined }), root);
  await expect(cut.names(["ls-files", "-z"])).rejects.toMatchObject({ code: "too_large" });
});

test("a copy of a store's objects takes over nothing else that lies among them", async () => {
  const snapshot = await snapshots.take("owner");
  await mkdir(join(store.dir, "objects", "info"), { recursive: true });
  await writeFile(join(store.dir, "objects", "info", "alternates"), "/elsewhere\n");
  await writeFile(join(store.dir, "objects", "maintenance.lock"), "");
  const dir = join(dirname(root), "other");
  const other = new SnapshotStore(dir, new GitRunner({ root, store: dir, jail: undefined }), root);
  await other.prepare();
  await other.share(store);
  await rm(store.dir, { recursive: true });
  expect((await other.git(["ls-tree", "--name-only", snapshot])).stdout).toBe("a.txt\n");
});
