// The small parts of a workspace folder: its lock, its globs, its versions.
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { FolderLock, FolderLocks, type LockKind } from "../../sandbox/workspace/folder-lock.ts";
import { globTest } from "../../sandbox/workspace/glob.ts";
import { Versions } from "../../sandbox/workspace/versions.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

afterAll(removeFolders);

describe("the lock", () => {
  test("a change runs alone, commands run one at a time, and writers go in order of arrival", async () => {
    const kinds = fc.array(fc.constantFrom<LockKind>("read", "run", "change"), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(kinds, fc.scheduler(), async (wanted, scheduler) => {
        const lock = new FolderLock("/workspace", new FolderLocks());
        const inside: LockKind[] = [];
        const writers: number[] = [];
        const all = wanted.map((kind, index) =>
          lock.with(kind, async () => {
            inside.push(kind);
            if (kind !== "read") writers.push(index);
            expect(inside.includes("change") && inside.length > 1).toBe(false);
            expect(inside.filter((other) => other === "run").length).toBeLessThan(2);
            await scheduler.schedule(Promise.resolve());
            inside.splice(inside.indexOf(kind), 1);
          }),
        );
        await scheduler.waitFor(Promise.all(all));
        expect(writers).toEqual([...writers].sort((a, b) => a - b));
      }),
    );
  });

  test("overlapping roots share it, others do not wait, and nobody overtakes a waiting request in conflict with it", async () => {
    const roots = fc.constantFrom("/w", "/w/app", "/w/app/src", "/w/apple", "/v");
    const claim = fc.record({ root: roots, kind: fc.constantFrom<LockKind>("read", "run", "change") });
    type Claim = { root: string; kind: LockKind };
    const overlap = (a: Claim, b: Claim) =>
      `${a.root}/`.startsWith(`${b.root}/`) || `${b.root}/`.startsWith(`${a.root}/`);
    const pairs = new Set(["read read", "read run", "run read"]);
    const disturb = (a: Claim, b: Claim) => overlap(a, b) && !pairs.has(`${a.kind} ${b.kind}`);
    await fc.assert(
      fc.asyncProperty(fc.array(claim, { maxLength: 16 }), fc.scheduler(), async (claims, scheduler) => {
        const locks = new FolderLocks();
        const inside = new Set<Claim>();
        const begun: number[] = [];
        const all = claims.map((wanted, index) =>
          new FolderLock(wanted.root, locks).with(wanted.kind, async () => {
            for (const other of inside) expect(disturb(wanted, other)).toBe(false);
            for (const [earlier, other] of claims.slice(0, index).entries())
              if (disturb(wanted, other)) expect(begun).toContain(earlier);
            begun.push(index);
            inside.add(wanted);
            await scheduler.schedule(Promise.resolve());
            inside.delete(wanted);
          }),
        );
        // A claim that conflicts with none before it begins at once.
        await Promise.resolve();
        claims.forEach((wanted, index) => {
          if (!claims.slice(0, index).some((other) => disturb(wanted, other))) expect(begun).toContain(index);
        });
        await scheduler.waitFor(Promise.all(all));
        expect(begun).toHaveLength(claims.length);
      }),
    );
  });

  test("work that fails releases the lock", async () => {
    const lock = new FolderLock("/workspace", new FolderLocks());
    await expect(lock.with("change", async () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await lock.with("change", async () => "in")).toBe("in");
  });
});

test.each([
  ["*.ts", "a.ts", true],
  ["*.ts", "src/deep/a.ts", true],
  ["*.ts", "a.tsx", false],
  ["src/*.ts", "src/a.ts", true],
  ["src/*.ts", "src/deep/a.ts", false],
  ["src/**", "src/deep/a.ts", true],
  ["src/**/a.ts", "src/a.ts", true],
  ["**/test/*", "a/test/b", true],
  ["{a,b}/*.{js,ts}", "b/x.ts", true],
  ["{a,b}/*.{js,ts}", "c/x.ts", false],
  ["[ab]?.txt", "a1.txt", true],
  ["[!a]*.txt", "a1.txt", false],
  ["!*.md", "a.md", false],
  ["!*.md", "a.ts", true],
  ["src/", "src/a.ts", true],
  ["a+b(c).txt", "a+b(c).txt", true],
  ["/a.ts", "src/a.ts", false],
])("the glob %s on %s: %s", (glob, path, matches) => {
  expect(globTest(glob)(path)).toBe(matches);
});

describe("versions", () => {
  const content = (text: string) => Buffer.from(text);

  test("the same content keeps its id, however many others came between", async () => {
    const versions = new Versions(join(await freshFolder("state"), "versions"));
    const first = await versions.idOf("a.txt", content("first"));
    for (let index = 0; index < 40; index++) await versions.idOf("a.txt", content(`other ${index}`));
    expect(await versions.idOf("a.txt", content("first"))).toBe(first);
    expect(await versions.textOf("a.txt", first)).toBe("first");
  });

  test("sixteen versions of a file are kept, older ones are unknown", async () => {
    const dir = join(await freshFolder("state"), "versions");
    const versions = new Versions(dir);
    for (let index = 1; index <= 20; index++) await versions.idOf("a.txt", content(`text ${index}`));
    const known = async (store: Versions) =>
      (
        await Promise.all(Array.from({ length: 20 }, (_, index) => store.textOf("a.txt", `v${index + 1}`)))
      ).map((text) => text !== undefined);
    const expected = Array.from({ length: 20 }, (_, index) => index >= 4);
    expect(await known(versions)).toEqual(expected);
    expect(await known(new Versions(dir))).toEqual(expected);
  });

  test("all versions together stay under the cap; the least recently used are dropped first, also after a restart", async () => {
    const dir = join(await freshFolder("state"), "versions");
    const versions = new Versions(dir, 30);
    for (const name of ["a", "b", "c"]) await versions.idOf(name, content(`${name}123456789`));
    await versions.idOf("a", content("a123456789"));
    await versions.idOf("d", content("d123456789"));
    const known = async (store: Versions) =>
      (await Promise.all(["a", "b", "c", "d"].map((name) => store.textOf(name, "v1")))).map(
        (text) => text !== undefined,
      );
    expect(await known(versions)).toEqual([true, false, true, true]);
    const restarted = new Versions(dir, 30);
    await restarted.idOf("e", content("e123456789"));
    expect(await known(restarted)).toEqual([true, false, false, true]);
  });

  test("dropped content is stored again when it is seen again", async () => {
    const versions = new Versions(join(await freshFolder("state"), "versions"), 10);
    await versions.idOf("a", content("a123456789"));
    await versions.idOf("b", content("b123456789"));
    expect(await versions.textOf("a", "v1")).toBeUndefined();
    expect(await versions.idOf("a", content("a123456789"))).toBe("v1");
    expect(await versions.textOf("a", "v1")).toBe("a123456789");
  });

  test("content that could not be stored is stored when it is seen again", async () => {
    const dir = join(await freshFolder("state"), "versions");
    const versions = new Versions(dir);
    await versions.idOf("a", content("zero"));
    await rm(dir, { recursive: true });
    await writeFile(dir, "in the way");
    await expect(versions.idOf("a", content("one"))).rejects.toThrow();
    await rm(dir);
    const id = await versions.idOf("a", content("one"));
    expect(await versions.textOf("a", id)).toBe("one");
  });

  test("ids of different files are counted separately", async () => {
    const versions = new Versions(join(await freshFolder("state"), "versions"));
    expect([
      await versions.idOf("a", content("x")),
      await versions.idOf("b", content("y")),
      await versions.idOf("a", content("y")),
    ]).toEqual(["v1", "v1", "v2"]);
  });
});
