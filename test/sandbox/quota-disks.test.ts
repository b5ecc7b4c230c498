// What counts towards the quota of a sandbox whose folders are on several disks, or cannot be measured. Other disks
// are mounted below a folder, which needs root.
// @module-tag long
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { findProgram } from "../../sandbox/exec/environment.ts";
import { diskWatchMs, inodeBytes } from "../../sandbox/limits.ts";
import { DiskQuota } from "../../sandbox/workspace/disk-quota.ts";
import { freeOf } from "../../sandbox/workspace/disk-use.ts";
import { mounted, ownDisk } from "./own-disk.ts";
import { freshFolder, RunningServer, removeFolders } from "./running-server.ts";

const unit = 2 ** 20;
const tooLarge = { code: "too_large" };
let root: string;
beforeEach(async () => {
  root = await freshFolder("workspace");
});
afterAll(removeFolders);

function take(folder: string, size: number): string {
  const path = join(folder, `taken${size}`);
  execFileSync("fallocate", ["-l", `${size * unit}`, path]);
  return path;
}
function quotaOf(most: number, { baseBytes, maxFiles }: { baseBytes?: number; maxFiles?: number } = {}) {
  return new DiskQuota({
    ...{ root, maxBytes: most * unit, baseBytes, baseFiles: baseBytes },
    ...(maxFiles === undefined ? {} : { maxFiles }),
  });
}

test("a copy on a disk that was new when the last measurement began is measured, not believed to be as it was", async () => {
  const copy = ownDisk();
  const quota = quotaOf(50);
  const begun = quota.begin();
  await quota.include(copy);
  await begun;
  take(copy, 60);
  await expect(quota.check(1)).rejects.toMatchObject(tooLarge);
});

test("a machine that was busy during the measurement does not trust it for longer while a command runs", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const disk = ownDisk();
  root = join(disk, "root");
  mkdirSync(root);
  const foreign = take(disk, 400);
  const quota = quotaOf(250, { baseBytes: 0 });
  const look = quota.watcher(() => []);
  let isMeasured = false;
  const above = look.isAbove().finally(() => {
    isMeasured = true;
  });
  while (!isMeasured) {
    vi.advanceTimersByTime(1_000);
    await setImmediate();
  }
  expect(await above).toBe(false);
  rmSync(foreign);
  take(root, 300);
  vi.advanceTimersByTime(diskWatchMs + 1);
  expect(await look.isAbove()).toBe(true);
});

test("a folder that cannot be measured refuses nothing, and keeps the size that was known", async () => {
  take(root, 60);
  const quota = quotaOf(50, { baseBytes: 0 });
  await expect(quota.mustHold()).rejects.toMatchObject(tooLarge);
  const known = quota.lastUsedBytes;
  renameSync(root, `${root}-away`);
  await quota.mustHold();
  expect([known, quota.lastUsedBytes]).toEqual([known, expect.closeTo(60 * unit, -6)]);
});

describe.runIf(process.getuid?.() === 0)("another disk", () => {
  test("below the folder counts neither with its bytes nor with its files", async () => {
    mkdirSync(join(root, "other"));
    if (!mounted("size=100M", join(root, "other"))) return;
    take(join(root, "other"), 60);
    for (let n = 0; n < 30; n += 1) writeFileSync(join(root, "other", `${n}`), "");
    const quota = quotaOf(50, { baseBytes: 0, maxFiles: 20 });
    await quota.mustHold();
    await quota.check(1);
  });

  test("has less free with each file that is made on it, though the file is empty", async () => {
    if (!mounted("size=10M,nr_inodes=1000", root)) return;
    const before = await freeOf(root);
    for (let n = 0; n < 100; n += 1) writeFileSync(join(root, `${n}`), "");
    expect(before - (await freeOf(root))).toBeGreaterThanOrEqual(100 * inodeBytes);
  });
});

test("each file of a change takes room, though it is empty", async () => {
  const server = await RunningServer.start({ env: { HANDRAIL_DISK_QUOTA: "1" } });
  const { id } = await server.client.create({ source: { sample: true } });
  const files = Array.from({ length: 1_100 }, (_, n) => ({ path: `${n}.txt`, base: null, content: "" }));
  expect(await server.client.failure(id, "change", { files })).toMatchObject(tooLarge);
  expect(await server.client.call(id, "change", { files: files.slice(0, 3) })).toMatchObject({ ok: true });
  await server.stop();
});

test.skipIf(findProgram("python3") === undefined)(
  "a deleted file counts where it is only mapped; one that still has its name counts once",
  async () => {
    root = ownDisk();
    take(root, 30);
    const named = take(root, 60);
    const map = `
import ctypes, os, sys
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
file = os.open(sys.argv[1], os.O_RDWR)
libc.mmap(None, os.fstat(file).st_size, 3, 1, file, 0)
os.close(file)
print("mapped", flush=True)
sys.stdin.read()`;
    const holder = spawn("python3", ["-c", map, named]);
    onTestFinished(() => void holder.kill());
    await once(holder.stdout, "data");
    const quota = quotaOf(100, { baseBytes: 0 });
    const look = quota.watcher(() => [holder.pid ?? 0]);
    await quota.mustHold();
    expect(await look.isAbove()).toBe(false);
    rmSync(named);
    take(root, 50);
    expect(await look.isAbove()).toBe(true);
  },
);
