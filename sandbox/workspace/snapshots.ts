// Snapshots of a workspace folder: trees in a git store of our own. The person's index, refs, stash, hooks and
// configuration are never touched; byte for byte, untracked files included, git-ignored ones not.
import { readlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { HandrailError } from "../../shared/errors.ts";
import type { Redactor } from "../../shared/redact/redactor.ts";
import type { RestoreValue } from "../../shared/snapshot.ts";
import { limits } from "../limits.ts";
import { leadsOut } from "../paths/link-target.ts";
import type { DiskQuota } from "./disk-quota.ts";
import { gitProgram } from "./git-process.ts";
import { ignoredAmong } from "./ignored.ts";
import { Mutex } from "./mutex.ts";
import type { Repository } from "./repository.ts";
import { type Revert, revertFile } from "./revert-file.ts";
import { exists, isFile, listBytes, type SnapshotStore } from "./snapshot-store.ts";
import { addForced, trackedThoughIgnored, treeOf, writeTree } from "./snapshot-tree.ts";
import { isLoose, packStore } from "./store-packing.ts";
import { takenBack } from "./taken-back.ts";
import { copyTree, type TreeCopy } from "./tree-copy.ts";

const objectId = /^[0-9a-f]{40,64}$/;
const writing = { writable: true, timeoutMs: 15 * 60_000 };

export class Snapshots {
  readonly store: SnapshotStore;
  readonly #repository: () => Promise<Repository | undefined>;
  readonly #mutex = new Mutex();
  /** Set while the store is packed. */
  #packing: AbortController | undefined;
  /** Archives that are being sent: their trees are kept by nobody. */
  #sending = 0;

  /** `repository`: the person's own, which says what is ignored. */
  constructor(store: SnapshotStore, repository: () => Promise<Repository | undefined>) {
    this.store = store;
    this.#repository = repository;
  }

  static get available(): boolean {
    return gitProgram() !== undefined;
  }

  /** The workspace as it is, kept for `owner` until it is forgotten. The same content is the same snapshot. */
  take(owner: string): Promise<string> {
    return this.#alone(async () => {
      const tree = await this.#tree();
      await this.store.keep(owner, tree);
      return tree;
    });
  }

  /**
   * Makes the workspace what it was. What git ignores, now or then, stays; where an ignored file is in the way
   * of one that comes back, it is in the snapshot taken just before, which is returned.
   */
  restore(snapshot: string, owner: string): Promise<RestoreValue> {
    return this.#alone(async () => {
      await this.#check(snapshot);
      const before = await this.#treeBefore(snapshot);
      await this.store.keep(owner, before);
      const changes = await this.#differences(before, snapshot);
      const told = await takenBack(this.store, await this.#repository(), { before, changes });
      await this.#spareIgnored(before, snapshot);
      // The index now says what is on the disk, so exactly the files that differ are written or removed.
      await this.store.git(["read-tree", "--reset", "-u", snapshot], {}, writing);
      return { snapshot: before, ...told };
    });
  }

  /** The files of `snapshot` in a folder of their own, until its `end`. Throws `too_large` where `quota` has no room. */
  copy(snapshot: string, quota: DiskQuota): Promise<TreeCopy> {
    return this.#alone(async () => {
      await this.#check(snapshot);
      return copyTree(this.store, snapshot, { repository: await this.#repository(), quota });
    });
  }

  /** Makes one file, or one hunk of it, what it was; the value is the snapshot taken before. Throws `stale_file`. */
  revert(snapshot: string, owner: string, revert: Revert): Promise<string> {
    return this.#alone(async () => {
      await this.#check(snapshot);
      const before = await this.#treeBefore(snapshot, revert.path);
      await this.store.keep(owner, before);
      await revertFile(this.store, revert, snapshot, before);
      return before;
    });
  }

  /** Unified difference between `snapshot` and the workspace as it is now. */
  diff(
    snapshot: string,
    paths: readonly string[] = [],
    stat = false,
    redactor?: Redactor,
  ): Promise<{ stdout: string; stderr: string; exitCode: number; truncated: boolean }> {
    return this.#alone(async () => {
      await this.#check(snapshot);
      const now = await this.#tree();
      const args = [
        "diff",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        ...(stat ? ["--numstat", "-z", "--no-renames"] : ["-M"]),
      ];
      const { stdout, truncated } = await this.store.git(
        [
          ...args,
          ...["--src-prefix=a/", "--dst-prefix=b/", snapshot, now, "--"],
          ...paths.map((path) => `:(literal)${path}`),
        ],
        {},
        { maxOutputBytes: limits.diffBytes, redactor },
      );
      return { stdout, stderr: "", exitCode: 0, truncated };
    });
  }

  /** The workspace as it is now, without links out of it, as a tar that is made while it is read. Throws `too_large`. */
  async tar(): Promise<Readable> {
    this.#sending += 1;
    const done = () => {
      this.#sending -= 1;
    };
    try {
      return (await this.#tar()).once("close", done);
    } catch (error) {
      done();
      throw error;
    }
  }

  async #tar(): Promise<Readable> {
    const tree = await this.#alone(async () => this.#withoutLinksOut(await this.#tree()));
    const list = ["ls-tree", "-r", "-l", "-z", tree];
    const { stdout, truncated } = await this.store.git(list, {}, { maxOutputBytes: listBytes });
    const sizes = stdout.split("\0").map((entry) => Number(/^\S+ \S+ \S+ +(\d+)\t/.exec(entry)?.[1] ?? 0));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    if (truncated || sizes.length > limits.archiveEntries || bytes > limits.archiveBytes) {
      throw new HandrailError(
        "too_large",
        `The workspace is above ${limits.archiveEntries} files or ${limits.archiveBytes} bytes. Take files one by one.`,
      );
    }
    return this.store.runner.stream(this.store.step(["archive", "--format=tar", tree]));
  }

  /** An archive with such a link could not be taken in again. */
  async #withoutLinksOut(tree: string): Promise<string> {
    const entries = await this.store.names(["ls-files", "--stage", "-z"]);
    const links = entries.filter((entry) => entry.startsWith("120000 "));
    const paths = links.map((entry) => entry.slice(entry.indexOf("\t") + 1));
    const targets = await Promise.all(
      paths.map((path) => readlink(join(this.store.root, path)).catch(() => "")),
    );
    const out = paths.filter((path, at) => leadsOut(dirname(path), targets[at] ?? ""));
    if (out.length === 0) return tree;
    await this.store.git(["update-index", "-z", "--force-remove", "--stdin"], { input: out.join("\0") });
    return writeTree(this.store);
  }

  /** Lets go of all snapshots of `owner`. */
  forget(owner: string): Promise<void> {
    return this.#alone(() => this.store.forget(owner));
  }

  /** Lets go of what owners keep that are not in `owners`. */
  forgetOthers(owners: ReadonlySet<string>): Promise<void> {
    return this.#alone(() => this.store.forgetOthers(owners));
  }

  /** As `pack`, where that is worth its time by now. */
  async packIfLoose(): Promise<void> {
    if (Snapshots.available && (await isLoose(this.store))) await this.pack(false);
  }

  /**
   * Makes the store small, and with `whole` as small as it can be; all that is kept stays. Whoever else comes interrupts
   * it, and does not wait for it. false = interrupted, or others are at work.
   */
  async pack(whole: boolean): Promise<boolean> {
    if (!(await exists(this.store.dir))) return true;
    if (!this.#mutex.idle || this.#sending > 0) return false;
    const packing = new AbortController();
    this.#packing = packing;
    return this.#mutex.run(async () => {
      try {
        await this.store.prepare();
        await packStore(this.store, { whole, signal: packing.signal });
        return true;
      } catch (error) {
        if (packing.signal.aborted) return false;
        throw error;
      } finally {
        this.#packing = undefined;
      }
    });
  }

  interruptPacking(): void {
    this.#packing?.abort();
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    this.interruptPacking();
    return this.#mutex.run(work);
  }

  async #tree(): Promise<string> {
    await this.store.prepare();
    return treeOf(this.store, await this.#repository());
  }

  /** The workspace as it is, with the ignored files that a restore would write over. */
  async #treeBefore(snapshot: string, only?: string): Promise<string> {
    const before = await this.#tree();
    const coming = (await this.#differences(before, snapshot)).filter(
      ({ status, path }) => status === "A" && (only === undefined || path === only),
    );
    const inTheWay = await Promise.all(coming.map(({ path }) => this.#standing(path)));
    const found = [...new Set(inTheWay.filter((path) => path !== undefined))];
    if (found.length === 0) return before;
    await addForced(this.store, found);
    return writeTree(this.store);
  }

  /** What is at `path` already, or above it where a folder will have to be. */
  async #standing(path: string): Promise<string | undefined> {
    if (await exists(join(this.store.root, path))) return path;
    for (let above = dirname(path); above !== "."; above = dirname(above))
      if (await isFile(join(this.store.root, above))) return above;
    return undefined;
  }

  /** Takes out of the index what the snapshot's own rules ignore, so that the restore leaves it where it is. */
  async #spareIgnored(before: string, snapshot: string): Promise<void> {
    const changes = await this.#differences(before, snapshot);
    const going = changes.filter(({ status, path }) => status === "D" && !isRules(path));
    if (going.length === 0) return;
    const rules = changes.filter(({ path }) => isRules(path)).map(({ path }) => path);
    if (rules.length > 0) {
      const spec = ["--pathspec-from-file=-", "--pathspec-file-nul"];
      const source = ["restore", `--source=${snapshot}`, "--staged", "--worktree", ...spec];
      await this.store.git(["--literal-pathspecs", ...source], { input: rules.join("\0") }, writing);
    }
    const repository = await this.#repository();
    const ignored = await ignoredAmong(
      this.store,
      repository,
      going.map(({ path }) => path),
    );
    for (const path of await trackedThoughIgnored(this.store, repository)) ignored.delete(path);
    if (ignored.size === 0) return;
    await this.store.git(["update-index", "-z", "--force-remove", "--stdin"], {
      input: [...ignored].join("\0"),
    });
  }

  async #differences(from: string, to: string): Promise<{ status: string; path: string }[]> {
    const args = ["diff-tree", "-r", "-z", "--name-status", "--no-renames", from, to];
    const fields = await this.store.names(args);
    return fields.flatMap((status, index) =>
      index % 2 === 0 ? [{ status, path: fields[index + 1] ?? "" }] : [],
    );
  }

  async #check(snapshot: string): Promise<void> {
    await this.store.prepare();
    if (objectId.test(snapshot) && (await this.store.isKept(snapshot))) return;
    throw new HandrailError("not_found", "This snapshot is not known here. Use one that this sandbox took.");
  }
}

function isRules(path: string): boolean {
  return path === ".gitignore" || path.endsWith("/.gitignore");
}
