// A snapshot misses no change: random edits, including those that keep size and times.
// @module-tag long
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { type Folder, Folders } from "../../sandbox/workspace/folder.ts";
import { freshFolder, removeFolders } from "./running-server.ts";

afterAll(removeFolders);

const old = new Date(2001, 1, 1);

let edited = 0;
/** Different content of the same length each time. */
const other = () => `${++edited}`.padStart(8, "0");

/** The edits that can be made to the entry at `path`. An edit that does not fit the entry has no effect. */
const edits: Record<string, (path: string) => void> = {
  write: (path) => writeFileSync(path, other()),
  "write, times as they were": (path) => {
    writeFileSync(path, other());
    utimesSync(path, old, old);
  },
  "replace, times as they were": (path) => {
    writeFileSync(`${path}.new`, other());
    utimesSync(`${path}.new`, old, old);
    renameSync(`${path}.new`, path);
  },
  append: (path) => writeFileSync(path, other(), { flag: "a" }),
  delete: (path) => rmSync(path, { recursive: true, force: true }),
  run: (path) => chmodSync(path, lstatSync(path).mode ^ 0o100),
  link: (path) => {
    rmSync(path, { recursive: true, force: true });
    symlinkSync(other(), path);
  },
  folder: (path) => {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path);
    writeFileSync(join(path, "inside"), other());
  },
};

const edit = fc.record({
  kind: fc.constantFrom(...Object.keys(edits)),
  path: fc.constantFrom("a", "b", "c", "sub/d", "sub/e"),
});

/** Every file in git's format (mode, id and path), computed without git. */
function entriesOf(root: string, below = ""): string[] {
  return readdirSync(join(root, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) return entriesOf(root, path);
    const at = join(root, path);
    const content = entry.isSymbolicLink() ? Buffer.from(readlinkSync(at)) : readFileSync(at);
    const mode = entry.isSymbolicLink() ? "120000" : lstatSync(at).mode & 0o100 ? "100755" : "100644";
    const id = createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex");
    return [`${mode} blob ${id}\t${path}`];
  });
}

async function emptyFolder(): Promise<Folder> {
  return new Folders(await freshFolder("state"), undefined).get(await freshFolder("workspace"));
}

function held({ snapshots }: Folder, tree: string): string[] {
  const args = ["--git-dir", snapshots.store.dir, "ls-tree", "-r", "-z", tree];
  return execFileSync("git", args, { encoding: "utf8" }).split("\0").filter(Boolean);
}

test("whatever was edited, a snapshot has what is on disk", { timeout: 60_000 }, async () => {
  const folder = await emptyFolder();
  mkdirSync(join(folder.root, "sub"));
  const round = fc.array(edit, { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(round, async (some) => {
      for (const { kind, path } of some) {
        const apply = edits[kind];
        try {
          apply?.(join(folder.root, path));
        } catch {
          // The file does not exist or is a folder. Another edit of this round counts.
        }
      }
      const tree = await folder.snapshots.take("a");
      expect(held(folder, tree).sort()).toEqual(entriesOf(folder.root).sort());
    }),
    { numRuns: 40, endOnFailure: true, seed: 1_510 },
  );
});

test("a change that keeps size and modification time is in the next snapshot", async () => {
  const folder = await emptyFolder();
  const at = join(folder.root, "a");
  // Both writes should fall into one second of git's timestamps, which happens in most of these tries.
  for (const letter of ["x", "y", "z", "u", "v", "w"]) {
    writeFileSync(at, letter.repeat(8));
    utimesSync(at, old, old);
    const tree = await folder.snapshots.take("a");
    expect(held(folder, tree)).toEqual(entriesOf(folder.root));
  }
});

test("git rereads what was written while it looked: its index counts as written when the second began", async () => {
  const folder = await emptyFolder();
  writeFileSync(join(folder.root, "a"), "one");
  await folder.snapshots.take("a");
  const { mtimeMs } = await stat(join(folder.snapshots.store.dir, "index"));
  expect([mtimeMs % 1_000, mtimeMs <= Date.now()]).toEqual([0, true]);
});
