import type { Readable } from "node:stream";
import { HandrailError } from "../../shared/errors.ts";
import type { GitValue } from "../../shared/git.ts";
import { nothingSecret, type Redactor } from "../../shared/redact/redactor.ts";
import type { RestoreValue } from "../../shared/snapshot.ts";
import * as limits from "../limits.ts";
import { withoutLinksOut } from "./archived-tree.ts";
import { committedTree, type MovedHead } from "./committed-tree.ts";
import type { DiskQuota } from "./disk-quota.ts";
import { gitProgram } from "./git-process.ts";
import { Mutex } from "./mutex.ts";
import { withOverwritten } from "./overwritten.ts";
import type { OwnChanges, OwnEdit, OwnRestore, OwnSince } from "./own-changes.ts";
import type { Repository } from "./repository.ts";
import { type Revert, revertFile } from "./revert-file.ts";
import { exists, listBytes, literal, type SnapshotStore } from "./snapshot-store.ts";
import { treeOf } from "./snapshot-tree.ts";
import { differences, spareIgnored } from "./spare-ignored.ts";
import { isLoose, packStore } from "./store-packing.ts";
import { commitsOf, takenBack } from "./taken-back.ts";
import { copyTree, type TreeCopy } from "./tree-copy.ts";
import { choose, type Merged } from "./tree-merge.ts";

const objectId = /^[0-9a-f]{40,64}$/;
const writing = { writable: true, timeoutMs: 15 * 60_000 };

export interface DiffOptions {
  paths?: readonly string[];
  stat?: boolean | undefined;
  redactor?: Redactor;
  view?: { own: OwnChanges | undefined; whose: "own" | "others" } | undefined;
}

export class Snapshots {
  readonly store: SnapshotStore;
  readonly #repository: () => Promise<Repository | undefined>;
  readonly #mutex = new Mutex();
  /** Set while the store is being packed. */
  #packing: AbortController | undefined;
  /** Archives that are being sent. No owner keeps their trees. */
  #sending = 0;

  /** `repository`: the person's own, which decides what is ignored. */
  constructor(store: SnapshotStore, repository: () => Promise<Repository | undefined>) {
    this.store = store;
    this.#repository = repository;
  }

  static get available(): boolean {
    return gitProgram() !== undefined;
  }

  /** Takes the current workspace and keeps it for `owner`. The same content gives the same snapshot. */
  take(owner: string, own?: OwnChanges): Promise<string> {
    return this.alone(async () => {
      const tree = await this.#tree();
      await own?.settle(this.store, tree);
      return this.#keep(owner, tree, own);
    });
  }

  /**
   * Like `take`, with the files that `own` changed as HEAD has them. Throws if they cannot be read there. undefined if
   * others moved HEAD, and all of its files are there as they were.
   */
  takeAsHead(owner: string, own: OwnChanges | undefined, moved: MovedHead): Promise<string | undefined> {
    return this.alone(async () => {
      const now = await this.#tree();
      const repository = await this.#repository();
      const without: string[] = [];
      for (const each of moved.since) without.push((await this.#since(each, now, own)).tree);
      const made = repository && (await committedTree(this.store, repository, { ...moved, now, without }));
      return made && this.#keep(owner, made.tree, own, made.was);
    });
  }

  async #keep(owner: string, tree: string, own: OwnChanges | undefined, was?: string): Promise<string> {
    await this.store.keep(owner, tree);
    if (was) await this.store.keep(owner, was);
    await own?.point(tree, was);
    return tree;
  }

  /** Changes from here until `commandEnded` belong to `own`. */
  commandBegins(own: OwnChanges): Promise<void> {
    return this.alone(async () => {
      await own.settle(this.store, await this.#tree());
      await own.commandBegins();
    });
  }

  commandEnded(own: OwnChanges): Promise<void> {
    return this.alone(async () => {
      // If the folder cannot be read now, the next snapshot includes the changes.
      const now = await this.#tree().catch(() => undefined);
      await own.commandEnded(this.store, now);
    });
  }

  /** Records in `own` what is about to be written. */
  edit(own: OwnChanges, writes: readonly OwnEdit[]): Promise<void> {
    return this.alone(async () => {
      await this.store.prepare();
      if (own.unsettled >= limits.ownEdits) await own.settle(this.store, await this.#tree());
      await own.edit(this.store, writes);
    });
  }

  /**
   * Restores the workspace and returns the snapshot taken just before. Files that git ignores now or ignored
   * then stay. If an ignored file is in the way of a restored one, the returned snapshot contains it.
   */
  restore(snapshot: string, owner: string, mine?: OwnRestore): Promise<RestoreValue> {
    return this.alone(async () => {
      await this.#check(snapshot);
      if (mine) return this.#restoreOwn(snapshot, owner, mine);
      return this.#restore(snapshot, owner);
    });
  }

  /** Reverts the changes of `own` since `snapshot`, and those of others only where `also` names them. */
  async #restoreOwn(
    snapshot: string,
    owner: string,
    { own, also, except }: OwnRestore,
  ): Promise<RestoreValue> {
    const now = await this.#tree();
    const { tree, mixed } = await this.#since(snapshot, now, own);
    const target = await choose(this.store, { tree, now, snapshot, mixed, also, except });
    const value = await this.#restore(target, owner);
    await own?.point(value.snapshot);
    const left = mixed.filter((path) => !also.includes(path));
    return { ...value, ...(left.length > 0 ? { mixed: left } : {}) };
  }

  /** The folder, whose tree is `now`, without the changes of `own` since `snapshot`. */
  async #since(snapshot: string, now: string, own: OwnChanges | undefined): Promise<OwnSince> {
    await own?.settle(this.store, now);
    return (
      (await own?.since(this.store, snapshot)) ?? { tree: snapshot, mixed: [], foreign: [snapshot, snapshot] }
    );
  }

  async #restore(snapshot: string, owner: string): Promise<RestoreValue> {
    const before = await withOverwritten(this.store, await this.#tree(), snapshot);
    await this.store.keep(owner, before);
    const changes = await differences(this.store, before, snapshot);
    const told = await takenBack(this.store, await this.#repository(), { before, changes });
    await spareIgnored(this.store, await this.#repository(), { before, snapshot });
    // The index now matches the disk, so exactly the files that differ are written or removed.
    await this.store.git(["read-tree", "--reset", "-u", snapshot], {}, writing);
    return { snapshot: before, ...told };
  }

  /** Writes the files of `snapshot` to a folder that stays until `end`. Throws `too_large`. */
  copy(snapshot: string, quota: DiskQuota): Promise<TreeCopy> {
    return this.alone(async () => {
      await this.#check(snapshot);
      return copyTree(this.store, snapshot, { repository: await this.#repository(), quota });
    });
  }

  /** Reverts one file or hunk to `snapshot`, and returns the snapshot taken before. Throws `stale_file`. */
  revert(snapshot: string, owner: string, revert: Revert, own?: OwnChanges): Promise<string> {
    return this.alone(async () => {
      await this.#check(snapshot);
      const from = own ? (await this.#since(snapshot, await this.#tree(), own)).tree : snapshot;
      const before = await withOverwritten(this.store, await this.#tree(), from, revert.path);
      await this.#keep(owner, before, own);
      await revertFile(this.store, revert, from, before);
      return before;
    });
  }

  /** Unified difference between `snapshot` and the workspace; with `view`, the changes of one side. */
  diff(snapshot: string, { paths = [], stat = false, redactor, view }: DiffOptions = {}): Promise<GitValue> {
    return this.alone(async () => {
      await this.#check(snapshot);
      const now = await this.#tree();
      const since = view && (await this.#since(snapshot, now, view.own));
      const [from, to] = !since
        ? [snapshot, now]
        : view?.whose === "others"
          ? since.foreign
          : [since.tree, now];
      const about = since && view?.whose === "own" ? await this.#about(since, now, redactor) : {};
      const args = ["diff", ...(stat ? ["--numstat", "-z", "--no-renames"] : ["-M"])];
      const { stdout, truncated } = await this.store.git(
        [...args, ...["--src-prefix=a/", "--dst-prefix=b/", from, to, "--"], ...paths.map(literal)],
        {},
        { maxOutputBytes: limits.diffBytes, redactor },
      );
      return { stdout, stderr: "", exitCode: 0, truncated, ...about };
    });
  }

  /** Which of the changed files others changed in the same lines, and which are in a commit already. */
  async #about(
    { tree, mixed }: Merged,
    now: string,
    redactor = nothingSecret,
  ): Promise<Pick<GitValue, "mixed" | "commits">> {
    const paths = (await differences(this.store, tree, now)).map(({ path }) => path);
    const repository = await this.#repository();
    const commits = repository ? await commitsOf(this.store, repository, now, paths) : [];
    return {
      mixed: mixed.filter((path) => paths.includes(path)),
      commits: commits.map(({ commit, files }) => ({ commit: redactor.redact(commit), files })),
    };
  }

  /** The current workspace, without links that lead out of it, as a tar stream. Throws `too_large`. */
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
    const tree = await this.alone(async () => withoutLinksOut(this.store, await this.#tree()));
    const list = ["ls-tree", "-r", "-l", "-z", tree];
    const { stdout, truncated } = await this.store.git(list, {}, { maxOutputBytes: listBytes });
    const sizes = stdout.split("\0").map((entry) => Number(/^\S+ \S+ \S+ +(\d+)\t/.exec(entry)?.[1] ?? 0));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    if (truncated || sizes.length > limits.archiveEntries || bytes > limits.archiveBytes) {
      throw new HandrailError(
        "too_large",
        `The workspace is above ${limits.archiveEntries} files or ${limits.archiveBytes} bytes. Take files singly.`,
      );
    }
    return this.store.runner.stream(this.store.step(["archive", "--format=tar", tree]));
  }

  /** Releases all snapshots of `owner`. */
  forget(owner: string): Promise<void> {
    return this.alone(() => this.store.forget(owner));
  }

  /** Releases the snapshots of owners that are not in `owners`. */
  forgetOthers(owners: ReadonlySet<string>): Promise<void> {
    return this.alone(() => this.store.forgetOthers(owners));
  }

  /** Packs the store if there is enough to gain. */
  async packIfLoose(): Promise<void> {
    if (Snapshots.available && (await isLoose(this.store))) await this.pack(false);
  }

  /**
   * Makes the store smaller, and with `whole` as small as possible. Everything that is kept stays. Other work
   * interrupts packing instead of waiting for it. false = interrupted, or other work is running.
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

  /** Runs `work` while nothing else works in the store. `work` must call no method of this class. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    this.interruptPacking();
    return this.#mutex.run(work);
  }

  async #tree(): Promise<string> {
    await this.store.prepare();
    return treeOf(this.store, await this.#repository());
  }

  async #check(snapshot: string): Promise<void> {
    await this.store.prepare();
    if (objectId.test(snapshot) && (await this.store.isKept(snapshot))) return;
    throw new HandrailError("not_found", "This snapshot is not known here. Use one that this sandbox took.");
  }
}
