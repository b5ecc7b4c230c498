// What counts towards the quota of a sandbox: growth, copies on any disk, files without content, deleted files
// that are held open, and nothing else. The space is reserved in memory, and nothing is written to it.
// @module-tag long
import { execFileSync } from "node:child_process";
import { closeSync, linkSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { diskMeasureMs, diskWatchMs, inodeBytes, overQuotaFiles } from "../../sandbox/limits.ts";
import { DiskQuota } from "../../sandbox/workspace/disk-quota.ts";
import { ownDisk } from "./own-disk.ts";

/** A mebibyte, the unit of all sizes here. */
const unit = 2 ** 20;
const tooLarge = { code: "too_large" };
let root: string;
let elsewhere: string;
beforeEach(() => {
  const disk = ownDisk();
  [root, elsewhere] = [join(disk, "root"), join(disk, "elsewhere")];
  for (const folder of [root, elsewhere]) mkdirSync(folder);
});

function take(folder: string, name: string, size: number): string {
  const path = join(folder, name);
  execFileSync("fallocate", ["-l", `${size * unit}`, path]);
  return path;
}
/** A quota of `most` units for `root`, whose size is measured. */
async function quotaOf(most: number, more: { baseBytes?: number; maxFiles?: number } = {}) {
  const quota = new DiskQuota({
    ...{ root, maxBytes: most * unit, baseBytes: 0, baseFiles: 0 },
    ...more,
  });
  await quota.mustHold().catch(() => undefined);
  return quota;
}
const none = () => [];
describe("a served folder", () => {
  test("counts from its size at the beginning, which is measured once", async () => {
    take(root, "before", 90);
    const quota = new DiskQuota({
      ...{ root, maxBytes: 50 * unit, maxFiles: 5, baseBytes: undefined, baseFiles: undefined },
    });
    const base = await quota.begin();
    expect(base.baseBytes).toBeGreaterThan(90 * unit);
    expect(base.baseFiles).toBeGreaterThan(1);
    take(root, "more", 20);
    expect(await quota.begin()).toEqual(base);
    await quota.mustHold();
    take(root, "most", 40);
    await expect(quota.mustHold()).rejects.toMatchObject(tooLarge);
  });

  test("has grown too large also while others free as much of the disk", async () => {
    const freed = take(elsewhere, "of others", 100);
    const quota = await quotaOf(50);
    const { isAbove } = quota.watcher(none);
    expect(await isAbove()).toBe(false);
    take(root, "first", 40);
    expect(await isAbove()).toBe(false);
    rmSync(freed);
    expect(await isAbove()).toBe(false);
    take(root, "second", 20);
    expect(await isAbove()).toBe(true);
  });

  test("that became smaller gives no room to a copy", async () => {
    const quota = await quotaOf(50, { baseBytes: 90 * unit });
    await quota.include(elsewhere);
    take(elsewhere, "copy", 60);
    await expect(quota.mustHold()).rejects.toMatchObject(tooLarge);
  });

  test("that has fewer files now gives no room to a copy's files", async () => {
    const options = { root, maxBytes: 50 * unit, maxFiles: 20, baseBytes: 0, baseFiles: 100 };
    const quota = new DiskQuota(options);
    await quota.include(elsewhere);
    for (let n = 0; n < 30; n += 1) writeFileSync(join(elsewhere, `${n}`), "");
    await expect(quota.mustHold()).rejects.toMatchObject(tooLarge);
  });

  test("counts one kibibyte for each file beside its content", async () => {
    for (let n = 0; n < 300; n += 1) writeFileSync(join(root, `${n}`), "");
    const quota = await quotaOf(50);
    expect(quota.lastUsedBytes).toBeGreaterThan(300 * inodeBytes);
  });
});

describe("a copy", () => {
  test("counts with the workspace until it is gone, on whatever disk it is", async () => {
    for (const copy of [elsewhere, ownDisk()]) {
      const quota = await quotaOf(50);
      take(root, "own", 30);
      await quota.mustHold();
      const gone = await quota.include(copy);
      const look = quota.watcher(none);
      expect(await look.isAbove()).toBe(false);
      take(copy, "copied", 30);
      expect(await look.isAbove()).toBe(true);
      await expect(quota.mustHold()).rejects.toMatchObject(tooLarge);
      rmSync(join(copy, "copied"));
      gone();
      expect(quota.lastUsedBytes).toBeLessThan(40 * unit);
      expect(await quota.roomBytes(1)).toBeGreaterThan(10 * unit);
      rmSync(join(root, "own"));
    }
  });

  test("that is gone counts no more, whatever comes to its place", async () => {
    const quota = await quotaOf(50);
    (await quota.include(elsewhere))();
    take(elsewhere, "foreign", 60);
    await quota.mustHold();
  });

  test("that was removed hides nothing of what the workspace takes next", async () => {
    const quota = await quotaOf(250);
    const gone = await quota.include(elsewhere);
    take(elsewhere, "copied", 200);
    await quota.mustHold();
    rmSync(join(elsewhere, "copied"));
    gone();
    take(root, "own", 200);
    expect(await quota.roomBytes(100 * unit)).toBeLessThan(60 * unit);
  });

  test("on another disk counts even if much is freed on this one meanwhile", async () => {
    const foreign = take(elsewhere, "foreign", 300);
    take(root, "own", 60);
    const copy = ownDisk();
    const quota = await quotaOf(100);
    await quota.include(copy);
    const look = quota.watcher(none);
    expect(await look.isAbove()).toBe(false);
    rmSync(foreign);
    take(copy, "copied", 60);
    expect(await look.isAbove()).toBe(true);
  });
});

describe("between two measurements", () => {
  test("what the disk has lost counts", async () => {
    const quota = await quotaOf(250);
    take(root, "own", 200);
    expect(await quota.roomBytes(100 * unit)).toBeLessThan(60 * unit);
    await expect(quota.check(100 * unit)).rejects.toMatchObject(tooLarge);
  });

  test("what others took is not counted, once it matters", async () => {
    const quota = await quotaOf(250);
    take(elsewhere, "foreign", 200);
    expect(await quota.roomBytes(100 * unit)).toBeGreaterThan(200 * unit);
  });

  test("files count", async () => {
    const quota = await quotaOf(50, { maxFiles: 20 });
    const look = quota.watcher(none);
    expect(await look.isAbove()).toBe(false);
    for (let n = 0; n < 30; n += 1) writeFileSync(join(root, `${n}`), "");
    expect(await look.isAbove()).toBe(true);
  });

  test("what others free at the same moment hides growth for ten minutes, of a running command for ten seconds", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const foreign = take(elsewhere, "foreign", 400);
    const [quota, idle] = [await quotaOf(250), await quotaOf(250)];
    const look = quota.watcher(none);
    expect(await look.isAbove()).toBe(false);
    rmSync(foreign);
    take(root, "own", 300);
    vi.advanceTimersByTime(diskWatchMs + 1);
    expect(await look.isAbove()).toBe(true);
    vi.advanceTimersByTime(diskMeasureMs);
    await expect(idle.check(1)).rejects.toMatchObject(tooLarge);
  });
});

describe("above the quota", () => {
  test("writes that take no more space are not refused, others are", async () => {
    take(root, "own", 60);
    const quota = await quotaOf(50);
    await quota.check(0);
    await quota.check(-1);
    await expect(quota.check(1)).rejects.toMatchObject(tooLarge);
  });

  test("of files alone nothing may be written, until some are deleted", async () => {
    for (let n = 0; n < 10; n += 1) writeFileSync(join(root, `${n}`), "");
    const quota = await quotaOf(50, { maxFiles: 5 });
    await expect(quota.check(1)).rejects.toMatchObject(tooLarge);
    await expect(quota.mustHold()).rejects.toMatchObject(tooLarge);
    for (let n = 0; n < 7; n += 1) rmSync(join(root, `${n}`));
    await quota.check(1);
  });

  test("commands may together write a little more than where it was exceeded first, and again after it was not", async () => {
    take(root, "own", 150);
    const quota = await quotaOf(100);
    const first = quota.watcher(none);
    expect(await first.isAbove()).toBe(false);
    take(root, "more", 50);
    expect(await first.isAbove()).toBe(false);
    const second = quota.watcher(none);
    expect(await second.isAbove()).toBe(false);
    take(root, "most", 30);
    expect([await first.isAbove(), await second.isAbove()]).toEqual([true, true]);
    // One that begins where even that is exceeded may run, to delete files.
    const third = quota.watcher(none);
    expect(await third.isAbove()).toBe(false);
    take(root, "last", 10);
    expect(await third.isAbove()).toBe(true);
    for (const name of ["own", "last"]) rmSync(join(root, name));
    expect(await quota.watcher(none).isAbove()).toBe(false);
    take(root, "again", 90);
    const fourth = quota.watcher(none);
    expect(await fourth.isAbove()).toBe(false);
    take(root, "and again", 50);
    expect(await fourth.isAbove()).toBe(false);
  });

  test("a command that begins above the limit on files may make some, not any number", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    for (let n = 0; n < 60; n += 1) writeFileSync(join(root, `${n}`), "");
    const quota = await quotaOf(500, { maxFiles: 50 });
    const look = quota.watcher(none);
    expect(await look.isAbove()).toBe(false);
    for (let n = 0; n <= overQuotaFiles; n += 1) writeFileSync(join(root, `more${n}`), "");
    vi.advanceTimersByTime(diskMeasureMs + 1);
    expect(await look.isAbove()).toBe(true);
  });
});

describe("a file that is deleted and held open", () => {
  function held(folder: string): void {
    const path = take(folder, "held", 60);
    const file = openSync(path, "r");
    onTestFinished(() => closeSync(file));
    rmSync(path);
  }

  test("counts for every command of the sandbox while the one that holds it runs", async () => {
    take(root, "own", 60);
    const quota = await quotaOf(100);
    const holding = quota.watcher(() => [process.pid]);
    const other = quota.watcher(none);
    expect([await holding.isAbove(), await other.isAbove()]).toEqual([false, false]);
    held(root);
    expect([await holding.isAbove(), await other.isAbove()]).toEqual([true, true]);
    holding.end();
    expect(await other.isAbove()).toBe(false);
  });

  test("counts as well once the disk was measured while it was there", async () => {
    const quota = await quotaOf(100);
    const look = quota.watcher(() => [process.pid]);
    expect(await look.isAbove()).toBe(false);
    held(root);
    await quota.mustHold();
    held(root);
    expect(await look.isAbove()).toBe(true);
  });

  test("does not count on another disk, nor if it still has a name", async () => {
    take(root, "own", 60);
    const quota = await quotaOf(100);
    const look = quota.watcher(() => [process.pid]);
    expect(await look.isAbove()).toBe(false);
    const named = take(root, "named", 30);
    mkdirSync(join(root, "in"));
    linkSync(named, join(root, "in", "again"));
    const file = openSync(named, "r");
    onTestFinished(() => closeSync(file));
    rmSync(named);
    held(ownDisk());
    // What the disk loses to others makes the watcher measure.
    take(elsewhere, "foreign", 60);
    expect(await look.isAbove()).toBe(false);
  });

  test("counts in a copy on another disk", async () => {
    take(root, "own", 60);
    const quota = await quotaOf(100);
    const copy = ownDisk();
    await quota.include(copy);
    const look = quota.watcher(() => [process.pid]);
    expect(await look.isAbove()).toBe(false);
    held(copy);
    expect(await look.isAbove()).toBe(true);
  });
});
