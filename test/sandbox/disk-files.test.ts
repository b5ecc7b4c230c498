// The limit on files of a sandbox, because a disk can run out of inodes while it has space left.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { DiskQuota } from "../../sandbox/workspace/disk-quota.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

afterAll(removeFolders);

const tooMany = { code: "too_large", message: expect.stringContaining("may have 50 files, and has more") };

async function make(folder: string, count: number, prefix = "f"): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, (_, index) => writeFile(join(folder, `${prefix}${index}`), "")),
  );
}

/** The quota of a folder that had `before` files. `own`: all of them count as the sandbox's. */
async function quotaOf(before = 0, own = true) {
  const root = await freshFolder("files");
  await make(root, before, "before");
  const base = own ? 0 : undefined;
  const quota = new DiskQuota({ root, maxBytes: 2 ** 34, maxFiles: 50, baseBytes: base, baseFiles: base });
  await quota.begin();
  return { root, quota };
}

test.skipIf(process.platform !== "linux")(
  "a command that makes too many empty files is ended, and the words name files and not space",
  async () => {
    const { root, quota } = await quotaOf();
    const look = quota.watcher(() => []);
    await make(root, 40);
    expect(await look.isAbove()).toBe(false);
    await mkdir(join(root, "deep"));
    await make(join(root, "deep"), 20);
    await expect(quota.mustHold()).rejects.toMatchObject(tooMany);
    expect(await look.isAbove()).toBe(true);
    expect(quota.words).toBe("more than 50 files. Delete some");
    look.end();
  },
);

test.skipIf(process.platform !== "linux")(
  "with too many files nothing more is written, a command may delete some, and then writing works again",
  async () => {
    const { root, quota } = await quotaOf(60);
    await expect(quota.mustHold()).rejects.toMatchObject(tooMany);
    await expect(quota.check(1)).rejects.toMatchObject(tooMany);
    const look = quota.watcher(() => []);
    expect(await look.isAbove()).toBe(false);
    await Promise.all(Array.from({ length: 30 }, (_, index) => rm(join(root, `before${index}`))));
    look.end();
    await quota.check(1);
    expect(quota.words).toContain("MiB");
    await quota.mustHold();
  },
);

test.skipIf(process.platform !== "linux")(
  "a served folder counts by the files that it has grown by",
  async () => {
    const { root, quota } = await quotaOf(200, false);
    await make(root, 40);
    await quota.mustHold();
    await make(root, 20, "more");
    await expect(quota.mustHold()).rejects.toMatchObject(tooMany);
  },
);
