// The sandboxes of this server: made, found again after a restart, deleted with everything that is theirs.
import { mkdir, readdir, realpath, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import * as z from "zod/mini";
import { HandrailError, toHandrailError } from "../shared/errors.ts";
import { type CreateSandbox, SandboxId, type Source } from "../shared/sandbox.ts";
import { readIfThere, writeWhole } from "./files.ts";
import { type JournalContext, SandboxJournal } from "./journal/sandbox-journal.ts";
import { isInside } from "./paths/inside.ts";
import { type Sandbox, SandboxRecord } from "./sandbox.ts";
import { cloneInto } from "./sources/clone.ts";
import { sampleInto } from "./sources/sample.ts";
import { Folders } from "./workspace/folder.ts";
import { Mutex } from "./workspace/mutex.ts";
import { Snapshots } from "./workspace/snapshots.ts";

export interface RegistryOptions {
  state: string;
  /** Real path of the served folder. */
  served: string | undefined;
  network: "none" | "full";
  newId(): string;
  journal: JournalContext;
}

export class Registry {
  readonly folders: Folders;
  readonly #options: RegistryOptions;
  readonly #dir: string;
  readonly #open = new Map<string, Promise<Sandbox>>();
  /** Making and deleting change which folders are in use: one at a time. */
  readonly #mutex = new Mutex();

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#dir = join(options.state, "sandboxes");
    this.folders = new Folders(options.state);
  }

  /** The sandbox of that id. Throws `not_found`. */
  async get(id: string): Promise<Sandbox> {
    if (!z.safeParse(SandboxId, id).success) throw unknownSandbox();
    const open = await this.#open.get(id)?.catch(() => undefined);
    if (open && !open.journal.broken) return open;
    const loading = this.#load(id);
    this.#open.set(id, loading);
    loading.catch(() => this.#open.delete(id));
    return loading;
  }

  async #load(id: string): Promise<Sandbox> {
    const dir = join(this.#dir, id);
    const record = await readRecord(dir);
    if (!record) throw unknownSandbox();
    if (record.state === "preparing") {
      record.state = "failed";
      record.problem = "The server stopped while it was being made.";
    }
    const journal = await SandboxJournal.load(dir, this.#options.journal);
    const sandbox: Sandbox = { record, dir, journal, folder: await this.folders.get(record.root) };
    if (record.state === "ready") this.#snapshotBeginning(sandbox);
    return sandbox;
  }

  /** Makes a sandbox; `created` is false where the id is known already. */
  create(request: CreateSandbox): Promise<{ sandbox: Sandbox; created: boolean }> {
    return this.#mutex.run(async () => {
      const id = request.id ?? this.#options.newId();
      const known = await this.get(id).catch(() => undefined);
      if (known) return { sandbox: known, created: false };
      const dir = join(this.#dir, id);
      const place = await this.#place(request.source, dir);
      await mkdir(dir, { recursive: true });
      if (place.owned) await mkdir(place.root, { recursive: true });
      const root = await realpath(place.root);
      const record: SandboxRecord = {
        ...{ id, state: "preparing", workspace: place.name, source: request.source ?? null },
        ...{
          network: request.network ?? this.#options.network,
          root,
          owned: place.owned,
          createdAt: this.#options.journal.now(),
        },
      };
      await save(dir, record);
      const journal = await SandboxJournal.load(dir, this.#options.journal);
      const sandbox: Sandbox = { record, dir, journal, folder: await this.folders.get(root) };
      sandbox.preparing = this.#prepare(sandbox, place.make);
      this.#open.set(id, Promise.resolve(sandbox));
      return { sandbox, created: true };
    });
  }

  async #prepare(sandbox: Sandbox, make: (root: string) => Promise<void>): Promise<void> {
    const { record, folder } = sandbox;
    try {
      await make(folder.root);
      record.state = "ready";
    } catch (error) {
      record.state = "failed";
      record.problem = toHandrailError(error).message;
      this.#options.journal.warn(
        `a sandbox could not be made: ${error instanceof Error ? error.message : "unknown"}`,
      );
    }
    await save(sandbox.dir, record).catch(() => undefined);
    if (record.state === "ready") this.#snapshotBeginning(sandbox);
    delete sandbox.preparing;
  }

  /** A large folder takes a while: it can be read meanwhile, and what wants to write waits its turn. */
  #snapshotBeginning(sandbox: Sandbox): void {
    const { record, folder, dir } = sandbox;
    if (!Snapshots.available || record.baseSnapshot !== undefined) return;
    const take = async () => {
      record.baseSnapshot = await folder.lock.with("run", () => folder.snapshots.take(record.id));
      await save(dir, record);
    };
    sandbox.beginning = take().catch((error: unknown) => {
      this.#options.journal.warn(
        `no snapshot of the beginning: ${error instanceof Error ? error.message : "unknown"}`,
      );
    });
    void sandbox.beginning.then(() => delete sandbox.beginning);
  }

  /** Where a new sandbox works, and what has to be put there. */
  async #place(source: Source | undefined, dir: string): Promise<Place> {
    const own = join(dir, "workspace");
    const { served } = this.#options;
    if (source && "git" in source) {
      const name = basename(source.git.replace(/\/+$/, "")).replace(/\.git$/, "") || "repository";
      return { root: own, owned: true, name, make: (root) => cloneInto(root, source.git, source.ref) };
    }
    if (source && "path" in source) {
      const root = await this.#servedPath(source.path);
      return { root, owned: false, name: basename(root), make: async () => undefined };
    }
    if (!source && served)
      return { root: served, owned: false, name: basename(served), make: async () => undefined };
    return { root: own, owned: true, name: "sample project", make: sampleInto };
  }

  async #servedPath(path: string): Promise<string> {
    const { served } = this.#options;
    if (!served)
      throw new HandrailError(
        "forbidden",
        "source.path: this server serves no folder. Start it with --workspace.",
      );
    const outside = new HandrailError(
      "path_escape",
      "source.path: must be the served folder or a folder beneath it.",
    );
    if (path.includes("\0")) throw outside;
    const real = await realpath(path.startsWith("/") ? path : join(served, path)).catch(() => undefined);
    if (real === undefined || !isInside(served, real)) throw outside;
    if (!(await stat(real)).isDirectory())
      throw new HandrailError("invalid_request", "source.path: is not a folder.");
    return real;
  }

  /** Deletes the sandbox and everything of it; a folder that it only served stays as it is. */
  remove(id: string): Promise<void> {
    return this.#mutex.run(async () => {
      const sandbox = await this.get(id);
      await sandbox.preparing;
      await sandbox.beginning;
      for (const call of sandbox.journal.calls.values()) {
        if (call.state.at === "running" || call.state.at === "reserved") call.state.run.abort.abort();
      }
      this.#open.delete(id);
      await rm(sandbox.dir, { recursive: true, force: true });
      const { folder } = sandbox;
      if (await this.#isUsed(folder.root)) await folder.snapshots.forget(id);
      else await this.folders.forget(folder);
    });
  }

  async #isUsed(root: string): Promise<boolean> {
    for (const name of await readdir(this.#dir).catch(() => [])) {
      if ((await readRecord(join(this.#dir, name)).catch(() => undefined))?.root === root) return true;
    }
    return false;
  }
}

interface Place {
  root: string;
  owned: boolean;
  name: string;
  make(root: string): Promise<void>;
}

async function readRecord(dir: string): Promise<SandboxRecord | undefined> {
  const bytes = await readIfThere(join(dir, "sandbox.json"));
  return bytes && z.parse(SandboxRecord, JSON.parse(bytes.toString("utf8")));
}

async function save(dir: string, record: SandboxRecord): Promise<void> {
  await writeWhole(join(dir, "sandbox.json"), JSON.stringify(record), true);
}

function unknownSandbox(): HandrailError {
  return new HandrailError("not_found", "This sandbox does not exist. Make one with POST /v1/sandboxes.");
}
