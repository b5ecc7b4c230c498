// One workspace folder and what belongs to the folder rather than to a sandbox: lock, repository, versions, snapshots.
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

/** A folder's record; `repository` is null if there is none outside of it, absent in a state of 0.2. */
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
  /** Where its state is kept, outside of it. */
  readonly dir: string;
  readonly lock: FolderLock;
  readonly noChanges = new NoChanges();
  readonly versions: Versions;
  readonly snapshots: Snapshots;
  /** For commands in the jail. */
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
   * The repository outside of the workspace that it belongs to, found when a sandbox was made in it and checked then.
   * Nothing else outside is ever shown for the sake of git: what a file says later is not asked.
   */
  get outside(): Repository | undefined {
    return this.#outside;
  }

  /** For the git folders outside of the workspace: others mount them, and they are swept like those inside. */
  get outsideGuards(): Guard[] {
    const { gitDir, commonDir } = this.#outside ?? {};
    const folders = [gitDir, commonDir].filter((path) => path !== undefined && !isInside(this.root, path));
    return [...new Set(folders)].map((path = "") => {
      const guard = this.#outsideGuards.get(path) ?? new Guard(path, join(this.dir, "outside", hashOf(path)));
      this.#outsideGuards.set(path, guard);
      return guard;
    });
  }

  /** The repository that git works with here: the workspace's own, otherwise the one outside. */
  async repository(): Promise<Repository | undefined> {
    return (await ownRepository(this.root)) ?? this.#outside;
  }

  /** Takes the recorded parts; looks for the others. */
  async open(): Promise<void> {
    await mkdir(join(this.dir, "versions"), { recursive: true });
    const kept = await readRecord(this.dir);
    if (kept?.root !== this.root || kept.repository === undefined) await this.find();
    else this.#outside = kept.repository ?? undefined;
  }

  /** Looks for the repository outside again. For a sandbox that is being made. */
  async find(): Promise<void> {
    await this.belongTo(await findRepository(this.root, this.#state));
  }

  /** Records `repository` as the outside one that the workspace belongs to. It was checked before. */
  async belongTo(repository: Repository | undefined): Promise<void> {
    this.#outside = repository;
    const record: FolderRecord = { root: this.root, repository: this.#outside ?? null };
    await writeWhole(join(this.dir, "folder.json"), JSON.stringify(record), true);
  }
}

/** The folders that sandboxes of this server work in, one object for each, however many sandboxes share it. */
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

  /** Those in use by now. */
  async opened(): Promise<Folder[]> {
    const found = await Promise.allSettled(this.#open.values());
    return found.flatMap((folder) => (folder.status === "fulfilled" ? [folder.value] : []));
  }

  /** Makes room in all of them: takes out of their snapshots what nobody keeps, and packs the rest. */
  async pack(): Promise<void> {
    for await (const { root } of this.kept()) await (await this.get(root)).snapshots.pack(true);
  }

  /** State folders of workspaces with the workspace's real path; what cannot be read is left out. */
  async *kept(): AsyncGenerator<{ root: string; dir: string }, void> {
    for (const name of await readdir(this.#dir).catch(() => [])) {
      const dir = join(this.#dir, name);
      const record = await readRecord(dir);
      if (record) yield { root: record.root, dir };
    }
  }

  /** As `forget`, for all that are not in `used`. For a server that starts. */
  async forgetUnused(used: ReadonlySet<string>): Promise<void> {
    for await (const { root, dir } of this.kept())
      if (!used.has(root)) await rm(dir, { recursive: true, force: true });
  }

  /** Forgets a folder that no sandbox works in any more. The workspace itself is not touched. */
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
