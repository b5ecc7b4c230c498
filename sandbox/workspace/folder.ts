// One workspace folder and everything that belongs to the folder rather than to a sandbox: lock, repository,
// versions, snapshots.
import { createHash } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { readIfThere, writeWhole } from "../files.ts";
import type { Jail } from "../jail/jailed-process.ts";
import { Guard } from "../jail/protected-guard.ts";
import { isInside } from "../paths/inside.ts";
import { findRepository } from "./find-repository.ts";
import { FolderLock, FolderLocks } from "./folder-lock.ts";
import { GitRunner } from "./git-runner.ts";
import { MadeRepositories } from "./made-repositories.ts";
import { NoChanges } from "./no-changes.ts";
import { ownRepository, Repository } from "./repository.ts";
import { SnapshotStore } from "./snapshot-store.ts";
import { Snapshots } from "./snapshots.ts";
import { Versions } from "./versions.ts";

/**
 * A folder's stored record. `repository` is null if there is none outside, and absent in a state folder of
 * version 0.2.
 */
const FolderRecord = z.object({ root: z.string(), repository: z.optional(z.nullable(Repository)) });
type FolderRecord = z.infer<typeof FolderRecord>;

export interface FolderOptions {
  /** The server's state folder. */
  state: string;
  jail: Jail | undefined;
  locks: FolderLocks;
  made: MadeRepositories;
}

export class Folder {
  /** Real path of the workspace. */
  readonly root: string;
  /** The folder of its state, outside of the workspace. */
  readonly dir: string;
  readonly lock: FolderLock;
  readonly noChanges = new NoChanges();
  readonly versions: Versions;
  readonly snapshots: Snapshots;
  /** Guards commands in the jail. */
  readonly guard: Guard;

  readonly #state: string;
  readonly #outsideGuards = new Map<string, Guard>();
  #outside: Repository | undefined;

  /** `dir` is in the state folder. */
  constructor(root: string, dir: string, { state, jail, locks, made }: FolderOptions) {
    this.root = root;
    this.dir = dir;
    this.#state = state;
    this.lock = new FolderLock(root, locks);
    this.guard = new Guard(root, dir, made);
    this.versions = new Versions(join(dir, "versions"));
    const store = join(dir, "snapshots.git");
    const git = new GitRunner({ root, store, jail, outside: () => this.#outside });
    this.snapshots = new Snapshots(new SnapshotStore(store, git, root), () => this.repository());
  }

  /**
   * The repository outside of the workspace that it belongs to. It was found and checked when a sandbox was
   * made here. Git is never shown anything else outside: what a file says later does not count.
   */
  get outside(): Repository | undefined {
    return this.#outside;
  }

  /**
   * Guards for the git folders outside of the workspace. Other sandboxes may mount them too, and they are
   * swept like those inside.
   */
  get outsideGuards(): Guard[] {
    const { gitDir, commonDir } = this.#outside ?? {};
    const folders = [gitDir, commonDir].filter((path) => path !== undefined && !isInside(this.root, path));
    return [...new Set(folders)].map((path = "") => {
      const guard = this.#outsideGuards.get(path) ?? new Guard(path, join(this.dir, "outside", hashOf(path)));
      this.#outsideGuards.set(path, guard);
      return guard;
    });
  }

  /** The repository that git uses here: the workspace's own, otherwise the one outside. */
  async repository(): Promise<Repository | undefined> {
    return (await ownRepository(this.root)) ?? this.#outside;
  }

  /** Loads which repository the workspace belongs to, or searches for it if that is not recorded. */
  async open(): Promise<void> {
    await mkdir(join(this.dir, "versions"), { recursive: true });
    const kept = await readRecord(this.dir);
    if (kept?.root !== this.root || kept.repository === undefined) await this.find();
    else this.#outside = kept.repository ?? undefined;
  }

  /** Searches again for the repository outside that the workspace belongs to. Called when a sandbox is made. */
  async find(): Promise<void> {
    await this.belongTo(await findRepository(this.root, this.#state));
  }

  /** Records `repository`, which must have been checked, as the one outside that the workspace belongs to. */
  async belongTo(repository: Repository | undefined): Promise<void> {
    this.#outside = repository;
    const record: FolderRecord = { root: this.root, repository: this.#outside ?? null };
    await writeWhole(join(this.dir, "folder.json"), JSON.stringify(record), true);
  }
}

/** The folders that sandboxes of this server work in. Sandboxes that share a folder share its object. */
export class Folders {
  readonly made: MadeRepositories;
  readonly #options: FolderOptions;
  readonly #open = new Map<string, Promise<Folder>>();

  constructor(state: string, jail: Jail | undefined) {
    this.made = new MadeRepositories(state);
    this.#options = { state, jail, locks: new FolderLocks(), made: this.made };
  }

  get #dir(): string {
    return join(this.#options.state, "folders");
  }

  /** `root` must be a real path. */
  get(root: string): Promise<Folder> {
    const known = this.#open.get(root);
    if (known) return known;
    const dir = join(this.#dir, hashOf(root));
    const folder = new Folder(root, dir, this.#options);
    const opening = folder.open().then(() => folder);
    this.#open.set(root, opening);
    opening.catch(() => this.#open.delete(root));
    return opening;
  }

  /** The folders that have been opened. */
  async opened(): Promise<Folder[]> {
    const found = await Promise.allSettled(this.#open.values());
    return found.flatMap((folder) => (folder.status === "fulfilled" ? [folder.value] : []));
  }

  /** Frees space in all folders: removes snapshots that no sandbox keeps, and packs the rest. */
  async pack(): Promise<void> {
    for await (const { root } of this.kept()) await (await this.get(root)).snapshots.pack(true);
  }

  /**
   * The state folders of workspaces with the workspaces' real paths. Folders without a readable record are
   * left out.
   */
  async *kept(): AsyncGenerator<{ root: string; dir: string }, void> {
    for (const name of await readdir(this.#dir).catch(() => [])) {
      const dir = join(this.#dir, name);
      const record = await readRecord(dir);
      if (record) yield { root: record.root, dir };
    }
  }

  /** Deletes the state of all folders that are not in `used`. Called when the server starts. */
  async forgetUnused(used: ReadonlySet<string>): Promise<void> {
    for await (const { root, dir } of this.kept())
      if (!used.has(root)) await rm(dir, { recursive: true, force: true });
  }

  /** Deletes the state of a folder that no sandbox works in any more. The workspace itself is not touched. */
  async forget(folder: Folder): Promise<void> {
    this.#open.delete(folder.root);
    await rm(folder.dir, { recursive: true, force: true });
  }
}

async function readRecord(dir: string): Promise<FolderRecord | undefined> {
  const bytes = await readIfThere(join(dir, "folder.json"));
  try {
    return bytes && z.parse(FolderRecord, JSON.parse(bytes.toString("utf8")));
  } catch {
    return undefined;
  }
}

function hashOf(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 32);
}
