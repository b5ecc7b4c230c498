// One workspace folder and what belongs to the folder rather than to a sandbox: lock, versions, snapshots.
import { createHash } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { readIfThere, writeWhole } from "../files.ts";
import { FolderLock } from "./folder-lock.ts";
import { NoChanges } from "./no-changes.ts";
import { type Repository, repositoryOf } from "./repository.ts";
import { SnapshotStore } from "./snapshot-store.ts";
import { Snapshots } from "./snapshots.ts";
import { Versions } from "./versions.ts";

export class Folder {
  /** Real path of the workspace. */
  readonly root: string;
  /** Where its state is kept, outside of it. */
  readonly dir: string;
  readonly lock = new FolderLock();
  readonly noChanges = new NoChanges();
  readonly versions: Versions;
  readonly snapshots: Snapshots;

  readonly #state: string;

  /** `state`: the server's state folder, in which `dir` lies. */
  constructor(root: string, dir: string, state: string) {
    this.root = root;
    this.dir = dir;
    this.#state = state;
    this.versions = new Versions(join(dir, "versions"));
    this.snapshots = new Snapshots(new SnapshotStore(join(dir, "snapshots.git"), root), () =>
      this.repository(),
    );
  }

  /** Looked up each time: a command may have made one. */
  repository(): Promise<Repository | undefined> {
    return repositoryOf(this.root, this.#state);
  }
}

/** The folders that sandboxes of this server work in, one object for each, however many sandboxes share it. */
export class Folders {
  readonly #state: string;
  readonly #open = new Map<string, Folder>();

  constructor(state: string) {
    this.#state = state;
  }

  /** `root` must be a real path. */
  async get(root: string): Promise<Folder> {
    const known = this.#open.get(root);
    if (known) return known;
    const dir = join(this.#state, "folders", createHash("sha256").update(root).digest("hex").slice(0, 32));
    const folder = new Folder(root, dir, this.#state);
    this.#open.set(root, folder);
    await mkdir(join(dir, "versions"), { recursive: true });
    await writeWhole(join(dir, "folder.json"), JSON.stringify({ root }), false);
    return folder;
  }

  /** State folders of workspaces with the workspace's real path; what cannot be read is left out. */
  async *kept(): AsyncGenerator<{ root: string; dir: string }, void> {
    for (const name of await readdir(join(this.#state, "folders")).catch(() => [])) {
      const dir = join(this.#state, "folders", name);
      const bytes = await readIfThere(join(dir, "folder.json"));
      const record = bytes ? parseRecord(bytes.toString("utf8")) : undefined;
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

const FolderRecord = z.object({ root: z.string() });

function parseRecord(text: string): z.infer<typeof FolderRecord> | undefined {
  try {
    return z.parse(FolderRecord, JSON.parse(text));
  } catch {
    return undefined;
  }
}
