// Applies changes of single files from one tree of the snapshot store to another by a three-way merge. If
// both changed the same lines, the tree keeps its own, and the path is reported. A deletion always applies.
// Touches no file of the workspace.
import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import * as limits from "../limits.ts";
import { removeTree } from "../paths/remove-tree.ts";
import { noObject, type SnapshotStore, type StoreStep } from "./snapshot-store.ts";
import { copiesFolder } from "./tree-copy.ts";

/** A file in a tree; null = no file. */
export type FileEntry = { mode: string; id: string } | null;
/** A change of a file, from one entry to another. */
export type FileStep = readonly [from: FileEntry, to: FileEntry];
export interface Merged {
  tree: string;
  /** Files where the same lines were changed on both sides. */
  mixed: string[];
}

export function sameEntry(one: FileEntry, other: FileEntry): boolean {
  return one?.id === other?.id && one?.mode === other?.mode;
}

/** The differences between each pair of trees, by path. One run of git covers all pairs. */
export async function treeChanges(
  store: SnapshotStore,
  pairs: readonly (readonly [from: string, to: string])[],
  step: StoreStep = {},
): Promise<Map<string, FileStep>[]> {
  const steps = pairs.map(([from, to]) =>
    store.step(["diff-tree", "-r", "-z", "--no-renames", from, to], step),
  );
  const outcomes = await store.runner.all(steps, { maxOutputBytes: 64 * 1024 * 1024 });
  return outcomes.map(({ stdout }) => changesIn(stdout));
}

/** Parses the output of `git diff-tree -r -z --no-renames`. */
export function changesIn(listed: string): Map<string, FileStep> {
  const fields = listed.split("\0");
  const found = new Map<string, FileStep>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [was = "", is = "", from = "", to = ""] = (fields[at] ?? "").slice(1).split(" ");
    found.set(fields[at + 1] ?? "", [entryOf(was, from), entryOf(is, to)]);
  }
  return found;
}

/** The entries by path, from the lines of `git ls-tree -z`. */
export function listedEntries(lines: readonly string[]): Map<string, FileEntry> {
  return new Map(
    lines.map((line) => {
      const [mode = "", , id = ""] = line.slice(0, line.indexOf("\t")).split(" ");
      return [line.slice(line.indexOf("\t") + 1), { mode, id }];
    }),
  );
}

/** Whether the entry is a repository of its own. */
export function isNested(entry: FileEntry): boolean {
  return entry?.mode === "160000";
}

function entryOf(mode: string, id: string): FileEntry {
  return mode === "000000" ? null : { mode, id };
}

/**
 * The tree `onto` with the steps of each path applied in order. `at`: the entry of `onto` at a path that has
 * steps.
 */
export async function carry(
  store: SnapshotStore,
  onto: string,
  steps: ReadonlyMap<string, readonly FileStep[]>,
  at: (path: string) => FileEntry,
): Promise<Merged> {
  const entries = new Map([...steps.keys()].map((path) => [path, at(path)]));
  const mixed = new Set<string>();
  const rounds = Math.max(0, ...[...steps.values()].map(({ length }) => length));
  for (let round = 0; round < rounds; round++) {
    const merges: Merge[] = [];
    for (const [path, list] of steps) {
      const step = list[round];
      if (!step) continue;
      const ours = entries.get(path) ?? null;
      const [base, theirs] = step;
      if (sameEntry(ours, base) || theirs === null) entries.set(path, theirs);
      else if (sameEntry(ours, theirs)) continue;
      else if (isText(ours) && isText(base) && isText(theirs)) merges.push({ path, ours, base, theirs });
      else mixed.add(path);
    }
    for (const { path } of merges.splice(limits.mergedFiles)) mixed.add(path);
    for (const { path, entry, clean } of await mergeContents(store, merges)) {
      entries.set(path, entry);
      if (!clean) mixed.add(path);
    }
  }
  const changed = [...entries].filter(([path, entry]) => !sameEntry(entry, at(path)));
  const tree = changed.length === 0 ? onto : await treeWith(store, onto, changed);
  return { tree, mixed: [...mixed] };
}

/**
 * The tree that a person chose to restore: `tree`, but with `mixed` files and those in `except` in their
 * current state (`now`), and those in `also` as in `snapshot`.
 */
export async function choose(
  store: SnapshotStore,
  { tree, now, snapshot, mixed, also, except }: Choice,
): Promise<string> {
  const stay = [...mixed, ...except].filter((path) => !also.includes(path));
  if (stay.length + also.length === 0) return tree;
  const [is, was] = await treeChanges(store, [
    [tree, now],
    [tree, snapshot],
  ]);
  const taken = (paths: readonly string[], from: Map<string, FileStep> | undefined) =>
    paths.flatMap((path): (readonly [string, FileEntry])[] => {
      const step = from?.get(path);
      return step ? [[path, step[1]]] : [];
    });
  const changed = [...taken(stay, is), ...taken(also, was)];
  return changed.length === 0 ? tree : treeWith(store, tree, changed);
}

interface Choice {
  tree: string;
  now: string;
  snapshot: string;
  mixed: readonly string[];
  also: readonly string[];
  except: readonly string[];
}

type Present = NonNullable<FileEntry>;

function isText(entry: FileEntry): entry is Present {
  return entry?.mode.startsWith("100") ?? false;
}

interface Merge {
  path: string;
  ours: Present;
  base: Present;
  theirs: Present;
}

/**
 * Merges each file twice, once in favour of each side where both changed the same lines. Different results
 * show that they did.
 */
async function mergeContents(store: SnapshotStore, merges: readonly Merge[]) {
  if (merges.length === 0) return [];
  return inOwnFolder(store, async (folder, env) => {
    const names = ["base", "theirs", "ours", "others"] as const;
    const input = merges.flatMap(({ base, theirs, ours }, n) => {
      const ids = { base, theirs, ours, others: ours };
      return names.map((name) => `100644 ${ids[name].id}\t${n}.${name}\0`);
    });
    const place = (n: number, name: (typeof names)[number]) => join(folder, `${n}.${name}`);
    const into = (n: number, name: "ours" | "others") => ({
      args: [
        ...["merge-file", "-q", name === "ours" ? "--ours" : "--theirs"],
        ...[place(n, name), place(n, "base"), place(n, "theirs")],
      ],
      // 255 = the file is not text.
      ...{ env, accept: [0, 255] },
    });
    const results = merges.flatMap((_, n) => [place(n, "ours"), place(n, "others")]);
    const outcomes = await store.runner.all([
      { args: ["update-index", "-z", "--index-info"], env, input: input.join("") },
      { args: ["checkout-index", "--all", "--force", "--quiet", `--prefix=${folder}/`], env },
      ...merges.flatMap((_, n) => [into(n, "ours"), into(n, "others")]),
      { args: ["hash-object", "-w", "--no-filters", "--", ...results], env },
    ]);
    const ids = (outcomes.at(-1)?.stdout ?? "").trim().split("\n");
    return merges.map(({ path, ours, base, theirs }, n) => {
      const id = ids[2 * n] ?? ours.id;
      const clean = id === ids[2 * n + 1] && outcomes[2 + 2 * n]?.exitCode === 0;
      return { path, clean, entry: { id, mode: base.mode === theirs.mode ? ours.mode : theirs.mode } };
    });
  });
}

/** The entries as `git update-index -z --index-info` reads them. */
export function indexLines(changed: readonly (readonly [path: string, entry: FileEntry])[]): string {
  return changed.map(([path, entry]) => `${entry?.mode ?? 0} ${entry?.id ?? noObject}\t${path}\0`).join("");
}

/** `tree` with these entries. Throws if an object of theirs is not in the store. */
export async function treeWith(
  store: SnapshotStore,
  tree: string,
  changed: readonly (readonly [path: string, entry: FileEntry])[],
): Promise<string> {
  return inOwnFolder(store, async (_, env) => {
    const outcomes = await store.runner.all([
      { args: ["read-tree", tree], env },
      { args: ["update-index", "-z", "--index-info"], env, input: indexLines(changed) },
      { args: ["write-tree"], env },
    ]);
    return outcomes[2]?.stdout.trim() ?? tree;
  });
}

/** Uses its own index, because the store's index describes the workspace. */
async function inOwnFolder<T>(
  store: SnapshotStore,
  work: (folder: string, env: Record<string, string>) => Promise<T>,
): Promise<T> {
  const folder = join(store.dir, copiesFolder, randomBytes(8).toString("hex"));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const index = { GIT_INDEX_FILE: join(folder, "index"), GIT_CONFIG_COUNT: "0" };
    return await work(folder, { ...store.environment, ...index });
  } finally {
    await removeTree(folder);
  }
}
