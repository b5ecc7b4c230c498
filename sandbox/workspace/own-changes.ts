// Tells which changes belong to one sandbox of a folder that others write to as well. It keeps the tree that
// the folder would be without the sandbox's own calls: every difference from that tree is the sandbox's.
// ARCHITECTURE.md explains how.
import { createHash } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { deflate } from "node:zlib";
import * as z from "zod/mini";
import { readIfThere, writeWhole } from "../files.ts";
import * as limits from "../limits.ts";
import { exists, literally, type SnapshotStore } from "./snapshot-store.ts";
import {
  carry,
  type FileEntry,
  type FileStep,
  listedEntries,
  type Merged,
  sameEntry,
  treeChanges,
} from "./tree-merge.ts";

const StoredEntry = z.nullable(z.object({ mode: z.string(), id: z.string() }));
const State = z.object({
  /** The tree of the folder when it was last read, without `edits`. */
  last: z.string(),
  /** The tree that the folder would be without the changes of this sandbox. */
  without: z.string(),
  /** Edits since `last`, with the content before and after each. */
  edits: z.array(z.object({ path: z.string(), before: StoredEntry, after: StoredEntry })),
  /** Files in which others changed lines that the sandbox had changed. */
  mixed: z.array(z.string()),
  /** The value of `without` at each snapshot: pairs of both, the newest last. */
  points: z.array(z.array(z.string())),
  /**
   * true = a command began and no end was recorded. It counts as the author of every difference from `last`.
   */
  running: z.boolean(),
});
type State = z.infer<typeof State>;

/** A file that a change is about to write; null = no file. */
export interface OwnEdit {
  path: string;
  before: Buffer | null;
  after: Buffer | null;
  mode: number | undefined;
}

/** `foreign`: the trees before and after the changes that others made meanwhile. */
export interface OwnSince extends Merged {
  foreign: readonly [string, string];
}

/** Reverts one sandbox's changes: also those of others that `also` names, but not those in `except`. */
export interface OwnRestore {
  /** undefined = no one else writes there, so that all changes are its own. */
  own: OwnChanges | undefined;
  also: readonly string[];
  except: readonly string[];
}

/** Its methods must be called one at a time, by the code that has the store for itself. */
export class OwnChanges {
  readonly #file: string;
  readonly #owner: string;
  #state: State | undefined;
  /** true = a command of this sandbox runs in this process. */
  #runs = false;

  /** `file`: where the state is stored. `owner`: the owner of the references that keep the trees. */
  constructor(file: string, owner: string) {
    this.#file = file;
    this.#owner = owner;
  }

  /** Keeps the changes of others apart from now on. `base`: the tree of the folder. */
  async begin(base: string): Promise<void> {
    this.#state = { last: base, without: base, edits: [], mixed: [], points: [[base, base]], running: false };
    await this.#save();
  }

  /**
   * Records that the folder became `now` through changes of others. While a command of this sandbox runs, all
   * changes count as its own.
   */
  async settle(store: SnapshotStore, now: string): Promise<void> {
    const state = await this.#load(now);
    if (this.#runs) return;
    if (state.running) return this.#set(store, { ...state, last: now, edits: [], running: false });
    if (state.last === now && state.edits.length === 0) return;
    const { last, without, edits } = state;
    const [seen = new Map(), own = new Map()] = await treeChanges(store, [
      [last, now],
      [last, without],
    ]);
    const found = await this.#listedEntries(store, last, edits);
    const steps = stepsOf(seen, edits, found);
    const at = (path: string): FileEntry => {
      const known = own.get(path);
      return known ? known[1] : (seen.get(path)?.[0] ?? found.get(path) ?? null);
    };
    // As long as the sandbox has changed nothing, `without` is simply the current folder.
    const merged =
      without === last && edits.length === 0
        ? { tree: now, mixed: [] }
        : await carry(store, without, steps, at);
    const mixed = [...state.mixed.filter((path) => own.has(path)), ...merged.mixed];
    await this.#set(store, {
      ...{ ...state, last: now, edits: [], without: merged.tree },
      mixed: [...new Set(mixed)],
    });
  }

  /** A command of this sandbox begins. The folder must have been settled just before. */
  async commandBegins(): Promise<void> {
    const state = this.#state;
    if (!state) return;
    state.running = true;
    await this.#save();
    this.#runs = true;
  }

  /** The command has ended and left the tree `now`; undefined = the folder could not be read. */
  async commandEnded(store: SnapshotStore, now: string | undefined): Promise<void> {
    this.#runs = false;
    if (this.#state && now !== undefined)
      await this.#set(store, { ...this.#state, last: now, running: false });
  }

  /**
   * Records that a change is about to write. If it does not write after all, the difference is settled like
   * any other.
   */
  async edit(store: SnapshotStore, writes: readonly OwnEdit[]): Promise<void> {
    const state = this.#state ?? (await this.#read());
    if (!state) return;
    this.#state = state;
    for (const { path, before, after, mode } of writes) {
      const kept = async (content: Buffer | null): Promise<FileEntry> =>
        content && {
          mode: (mode ?? 0) & 0o111 ? "100755" : "100644",
          id: await this.#keepContent(store, content),
        };
      state.edits.push({ path, before: await kept(before), after: await kept(after) });
    }
    await this.#save();
  }

  /** How many edits have not been settled. */
  get unsettled(): number {
    return this.#state?.edits.length ?? 0;
  }

  /** Records `was`, the tree without this sandbox's changes at the time of `snapshot`; by default of now. */
  async point(snapshot: string, was = this.#state?.without): Promise<void> {
    const state = this.#state;
    // The first is the sandbox's beginning and is always kept.
    const [first, ...others] = state?.points ?? [];
    if (!state || !was || !first || first[0] === snapshot) return;
    const kept = others.filter(([id]) => id !== snapshot).slice(1 - limits.ownPoints);
    state.points = [first, ...kept, [snapshot, was]];
    await this.#save();
  }

  /** The settled folder `now` without the changes that this sandbox made since `snapshot`. */
  async since(store: SnapshotStore, snapshot: string): Promise<OwnSince> {
    const state = this.#state;
    const was = state?.points.findLast(([id]) => id === snapshot)?.[1];
    // The changes of others up to that snapshot are not known, so every difference counts as this sandbox's.
    if (!state || was === undefined) return { tree: snapshot, mixed: [], foreign: [snapshot, snapshot] };
    const { without, mixed } = state;
    const foreign = [was, without] as const;
    if (was === snapshot) return { tree: without, mixed, foreign };
    if (was === without) return { tree: snapshot, mixed, foreign };
    const [others = new Map(), own = new Map()] = await treeChanges(store, [foreign, [was, snapshot]]);
    const steps = new Map([...others].map(([path, step]): [string, FileStep[]] => [path, [step]]));
    const merged = await carry(
      store,
      snapshot,
      steps,
      (path) => own.get(path)?.[1] ?? (own.has(path) ? null : others.get(path)?.[0]) ?? null,
    );
    return { tree: merged.tree, mixed: [...new Set([...mixed, ...merged.mixed])], foreign };
  }

  async #set(store: SnapshotStore, state: State): Promise<void> {
    for (const tree of new Set([state.last, state.without])) await store.keep(this.#owner, tree);
    this.#state = state;
    await this.#save();
  }

  async #read(): Promise<State | undefined> {
    const bytes = await readIfThere(this.#file);
    if (!bytes) return undefined;
    try {
      return z.parse(State, JSON.parse(bytes.toString("utf8")));
    } catch {
      return undefined;
    }
  }

  /** If nothing is stored, an older server made the sandbox. All differences up to now count as its own. */
  async #load(now: string): Promise<State> {
    this.#state ??= await this.#read();
    if (!this.#state) await this.begin(now);
    if (!this.#state) throw new Error("own changes have no state");
    return this.#state;
  }

  #save(): Promise<void> {
    return writeWhole(this.#file, JSON.stringify(this.#state), false);
  }

  /** The entries of `tree` at the edited paths. */
  async #listedEntries(
    store: SnapshotStore,
    tree: string,
    edits: State["edits"],
  ): Promise<Map<string, FileEntry>> {
    const paths = [...new Set(edits.map(({ path }) => path))];
    if (paths.length === 0) return new Map();
    return listedEntries(await store.names([...literally, "ls-tree", "-r", "-z", tree, "--", ...paths]));
  }

  /**
   * Writes content as a loose object without starting git:
   * https://git-scm.com/book/en/v2/Git-Internals-Git-Objects
   */
  async #keepContent(store: SnapshotStore, content: Buffer): Promise<string> {
    const whole = Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]);
    const id = createHash("sha1").update(whole).digest("hex");
    const path = join(store.dir, "objects", id.slice(0, 2), id.slice(2));
    if (!(await exists(path))) {
      await mkdir(dirname(path), { recursive: true });
      // If the server dies before the rename, git removes files with this name.
      const half = join(dirname(path), `tmp_obj_${process.pid}`);
      await writeFile(half, await promisify(deflate)(whole, { level: 1 }), { mode: 0o444 });
      await rename(half, path);
    }
    await store.keep(this.#owner, id);
    return id;
  }
}

/**
 * The changes of others to each file: the differences between what this sandbox left and what was found next.
 */
function stepsOf(
  seen: ReadonlyMap<string, FileStep>,
  edits: State["edits"],
  found: ReadonlyMap<string, FileEntry>,
): Map<string, FileStep[]> {
  const steps = new Map<string, FileStep[]>();
  const left = new Map<string, FileEntry>();
  const leftAt = (path: string) =>
    left.has(path) ? (left.get(path) ?? null) : (seen.get(path)?.[0] ?? found.get(path) ?? null);
  const add = (path: string, to: FileEntry) => {
    const from = leftAt(path);
    if (!sameEntry(from, to)) steps.set(path, [...(steps.get(path) ?? []), [from, to]]);
  };
  for (const { path, before, after } of edits) {
    add(path, before);
    left.set(path, after);
  }
  for (const [path, [, to]] of seen) add(path, to);
  for (const path of left.keys()) if (!seen.has(path)) add(path, found.get(path) ?? null);
  return steps;
}
