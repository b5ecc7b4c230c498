// What works in the store of a folder's snapshots at the same time, and what happens if the folder or a list cannot
// be read. Without a server, which would hide most of it.
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeEach, expect, test } from "vitest";
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
