// The sandboxes of this server: makes them, finds them again after a restart, and deletes them.
import { mkdir, readdir, realpath, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { toHandrailError } from "../shared/errors.ts";
import type { Network } from "../shared/network.ts";
import { type CreateSandbox, SandboxId } from "../shared/sandbox.ts";
import { BackgroundCommands } from "./exec/background-command.ts";
import { syncFolder } from "./files.ts";
import type { Jail } from "./jail/jailed-process.ts";
import type { JournalContext } from "./journal/load-journal.ts";
import { SandboxJournal } from "./journal/sandbox-journal.ts";
import * as limits from "./limits.ts";
import { remoteHosts } from "./network/remote-hosts.ts";
import { diskError } from "./paths/disk-error.ts";
import { isInside } from "./paths/inside.ts";
import { newFolder } from "./paths/new-folder.ts";
import { removeTree } from "./paths/remove-tree.ts";
import {
  beginIn,
  endRunning,
  type Sandbox,
  type SandboxRecord,
  saveRecord,
  unknownSandbox,
} from "./sandbox.ts";
import { isInUse, readRecord, readRecords } from "./sandbox-records.ts";
import { type SandboxPlace, sandboxPlace } from "./sources/place.ts";
import { DiskQuota } from "./workspace/disk-quota.ts";
import { Folders } from "./workspace/folder.ts";
import { Mutex } from "./workspace/mutex.ts";
import { OwnChanges } from "./workspace/own-changes.ts";
import { Snapshots } from "./workspace/snapshots.ts";
import { endWorktree } from "./worktrees/end-worktree.ts";
import { finishMoves } from "./worktrees/leave-folder.ts";
import { worktreePlace } from "./worktrees/worktree-place.ts";

export interface RegistryOptions {
  state: string;
  /** Real path of the served folder. */
  served: string | undefined;
  network: Network;
  privateSources: boolean;
  jail: Jail | undefined;
  diskQuotaBytes: number;
  newId(): string;
  journal: JournalContext;
}

/** No SandboxId begins like this. Work that git could not save is moved to the second and never deleted. */
const [deletedPrefix, unsavedPrefix] = [".deleted-", ".unsaved-"];

export class Registry {
  readonly folders: Folders;
  readonly #options: RegistryOptions;
  readonly #dir: string;
  readonly #open = new Map<string, Promise<Sandbox>>();
  readonly #removals = new WeakMap<Sandbox, Promise<void>>();
  /** Making and deleting sandboxes change which folders are in use, so they run one at a time. */
  readonly #mutex = new Mutex();

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#dir = join(options.state, "sandboxes");
    this.folders = new Folders(options.state, options.jail);
  }

  /** The sandbox with that id. Throws `not_found`. */
  async get(id: string): Promise<Sandbox> {
    if (!z.safeParse(SandboxId, id).success) throw unknownSandbox();
    // No await between looking up and registering: two requests must not load one journal twice.
    const sandbox = await (this.#open.get(id) ?? this.#keep(id, this.#load(id)));
    if (sandbox.ending.signal.aborted) throw unknownSandbox();
    await sandbox.journal.whole();
    await sandbox.journal.compactOld();
    if (sandbox.ending.signal.aborted) throw unknownSandbox();
    return sandbox;
  }

  /** The sandboxes that have been opened. */
  async opened(): Promise<Sandbox[]> {
    const found = await Promise.allSettled(this.#open.values());
    return found.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  }

  /** The sandbox with that id, if one exists and did not fail to be made. */
  async find(id: string): Promise<Sandbox | undefined> {
    const known = await this.get(id).catch(() => undefined);
    return known?.record.state === "failed" ? undefined : known;
  }

  /** Registers a sandbox that is being opened. One that cannot be opened is forgotten, unless replaced. */
  #keep(id: string, opening: Promise<Sandbox>): Promise<Sandbox> {
    this.#open.set(id, opening);
    opening.catch(() => {
      if (this.#open.get(id) === opening) this.#open.delete(id);
    });
    return opening;
  }

  async #load(id: string): Promise<Sandbox> {
    const dir = join(this.#dir, id);
    const record = await readRecord(dir);
    if (!record) throw unknownSandbox();
    if (record.state === "preparing") {
      record.state = "failed";
      record.problem = "The server stopped while it was being made.";
    }
    const sandbox = await this.#opened(record, dir);
    if (record.state === "ready") {
      this.#snapshotBeginning(sandbox);
      this.#measureBeginning(sandbox);
    }
    return sandbox;
  }

  async #opened(record: SandboxRecord, dir: string): Promise<Sandbox> {
    const journal = await SandboxJournal.load(dir, this.#options.journal);
    const folder = await this.folders.get(record.root);
    // Everything in its own copy counts as written by the sandbox.
    const base = record.owned || record.worktree ? { baseBytes: 0, baseFiles: 0 } : record;
    const { baseBytes, baseFiles } = base;
    const maxBytes = this.#options.diskQuotaBytes;
    const quota = new DiskQuota({ root: folder.root, maxBytes, baseBytes, baseFiles });
    const own =
      record.owned || !Snapshots.available
        ? {}
        : { own: new OwnChanges(join(dir, "own-changes.json"), record.id) };
    const background = new BackgroundCommands(journal);
    const ending = new AbortController();
    return { record, dir, journal, folder, quota, background, ...own, ending, work: new Set(), moving: 0 };
  }

  /** Makes a sandbox. `created` is false if the id exists. A failed sandbox is made again. */
  create(request: CreateSandbox): Promise<{ sandbox: Sandbox; created: boolean }> {
    return this.#mutex.run(async () => {
      const id = request.id ?? this.#options.newId();
      const known = await this.find(id);
      if (known) return { sandbox: known, created: false };
      const dir = join(this.#dir, id);
      const found = await sandboxPlace(request.source, join(dir, "workspace"), this.#options.served);
      const place = request.worktree
        ? await worktreePlace(found, request.worktree, {
            ...{ folders: this.folders, jail: this.#options.jail, dir },
            inUse: (root) => isInUse(this.#dir, root, this.#options.journal.now() - limits.inUseMs),
          })
        : found;
      // A sandbox that failed, or that is being deleted right now, uses the same folder name.
      const former = await this.#open.get(id)?.catch(() => undefined);
      if (former) await this.#remove(former);
      // Registered before its record is on disk, which otherwise looks like one that a dead server began.
      const fresh = await newFolder(dir);
      const begun = this.#begin(id, dir, place, request.network).catch(async (error: unknown) => {
        if (fresh) await removeTree(dir);
        throw error;
      });
      return { sandbox: await this.#keep(id, begun), created: true };
    });
  }

  async #begin(
    id: string,
    dir: string,
    place: SandboxPlace,
    network: CreateSandbox["network"],
  ): Promise<Sandbox> {
    // A folder inside the sandbox's own has to be made, whichever repository it belongs to.
    if (isInside(dir, place.root)) await mkdir(place.root, { recursive: true });
    await syncFolder(this.#dir);
    const record: SandboxRecord = {
      ...{ id, state: "preparing", workspace: place.name, source: place.source },
      network: network ?? this.#options.network,
      ...{ root: await realpath(place.root), owned: place.owned, createdAt: this.#options.journal.now() },
    };
    await saveRecord({ dir, record });
    const sandbox = await this.#opened(record, dir);
    await sandbox.folder.find();
    sandbox.preparing = this.#prepare(sandbox, place);
    return sandbox;
  }

  async #prepare(sandbox: Sandbox, place: SandboxPlace): Promise<void> {
    const { record, folder, ending } = sandbox;
    try {
      const worktree = await place.make(folder.root, {
        jail: this.#options.jail,
        signal: ending.signal,
        privateSources: this.#options.privateSources,
        quota: sandbox.quota,
        progress: (progress) => {
          sandbox.progress = progress;
        },
      });
      if (worktree) record.worktree = worktree;
      record.remotes = await remoteHosts(record.source, await folder.repository(), {
        made: this.folders.made,
        others: () => this.opened(),
      });
      record.state = "ready";
    } catch (error) {
      record.state = "failed";
      // An incomplete clone is of no use.
      if (record.owned) await removeTree(folder.root).then(() => mkdir(folder.root));
      record.problem = toHandrailError(diskError(error, "state") ?? error).message;
      if (!ending.signal.aborted)
        this.#options.journal.warn(
          `a sandbox could not be made: ${error instanceof Error ? error.message : "unknown"}`,
        );
    }
    if (!ending.signal.aborted) await saveRecord(sandbox).catch(() => undefined);
    if (record.state === "ready") {
      this.#snapshotBeginning(sandbox);
      this.#measureBeginning(sandbox);
    }
    delete sandbox.preparing;
  }

  /** A large folder takes a while. Calls that only read do not wait for it; calls that write do. */
  #snapshotBeginning(sandbox: Sandbox): void {
    if (!Snapshots.available || sandbox.record.baseSnapshot !== undefined) return;
    sandbox.beginning = sandbox.folder.lock
      .with("run", () => beginIn(sandbox))
      .catch((error: Error) => this.#options.journal.warn(`no snapshot of the beginning: ${error.message}`));
    void sandbox.beginning.then(() => delete sandbox.beginning);
  }

  /** Files that were in a served folder do not count. Nothing waits for this, which can take a second. */
  #measureBeginning(sandbox: Sandbox): void {
    const { record, quota, ending } = sandbox;
    if (record.owned || record.baseBytes !== undefined) return;
    const measure = async () => {
      const base = await quota.begin();
      if (base.baseBytes === undefined || ending.signal.aborted) return;
      Object.assign(record, base);
      await saveRecord(sandbox);
    };
    const measured = measure().catch(() => undefined);
    sandbox.work.add(measured);
    void measured.then(() => sandbox.work.delete(measured));
  }

  /** Deletes a sandbox with its state, snapshots and copy of a repository, but never a served folder. */
  async remove(id: string): Promise<void> {
    const sandbox = await this.get(id);
    if (sandbox.ending.signal.aborted) throw unknownSandbox();
    // From here on nothing starts in it, and what runs is ended before any file is deleted.
    sandbox.ending.abort();
    void endRunning(sandbox);
    await this.#mutex.run(() => this.#remove(sandbox));
  }

  /** A sandbox is removed only once, however many callers ask. */
  #remove(sandbox: Sandbox): Promise<void> {
    const removal = this.#removals.get(sandbox) ?? this.#removeOnce(sandbox);
    this.#removals.set(sandbox, removal);
    return removal;
  }

  async #removeOnce(sandbox: Sandbox): Promise<void> {
    sandbox.ending.abort();
    await sandbox.preparing;
    await sandbox.beginning;
    await Promise.allSettled([...sandbox.work, sandbox.background.endAll()]);
    const { dir, folder, record } = sandbox;
    const unsaved = await endWorktree(sandbox, this.#options.jail);
    // The rename removes it in one step, whatever happens next; see `sweep`.
    const aside = join(this.#dir, `${unsaved ? unsavedPrefix : deletedPrefix}${this.#options.newId()}`);
    await rename(dir, aside);
    await syncFolder(this.#dir);
    this.#open.delete(record.id);
    if (unsaved) this.#options.journal.warn(`Its files are in ${aside}. ${unsaved}`);
    else await rm(aside, { recursive: true, force: true });
    if ((await this.#roots()).has(folder.root)) await folder.snapshots.forget(record.id);
    else await this.folders.forget(folder);
  }

  /** Ends running commands when the server stops. Their results are recorded as usual. */
  async endCalls(): Promise<void> {
    await Promise.all((await this.opened()).map(endRunning));
  }

  /** Finishes deletions that a killed server had begun, before anything is served. */
  async sweep(): Promise<void> {
    for (const name of await readdir(this.#dir))
      if (name.startsWith(deletedPrefix)) await rm(join(this.#dir, name), { recursive: true, force: true });
    const used = await this.#roots().catch(() => undefined);
    // If a record cannot be read, it is not known which files are in use.
    if (!used) return;
    await finishMoves(this.#dir, this.folders, this.#options.journal.warn);
    await this.folders.forgetUnused(used);
    const ids = new Set((await readRecords(this.#dir)).map(({ id }) => id));
    for await (const { root } of this.folders.kept())
      await (await this.folders.get(root)).snapshots.forgetOthers(ids);
  }

  async #roots(): Promise<Set<string>> {
    return new Set((await readRecords(this.#dir)).map(({ root }) => root));
  }
}
