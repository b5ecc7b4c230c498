// Makes a snapshot store small: loose objects and references become a few packs, what nobody keeps any more goes. Killed
// anywhere, all that is kept stays readable: git removes nothing before what replaces it is whole.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as limits from "../limits.ts";
import type { SnapshotStore } from "./snapshot-store.ts";
import { removeLeftovers } from "./store-leftovers.ts";

export interface Packing {
  /** true = everything into one pack, dropping objects that are no longer kept. */
  whole: boolean;
  /** Ends it early; the store is as sane as before. */
  signal: AbortSignal;
}

/** Whether packing is worth its time by now. */
export async function isLoose(store: SnapshotStore): Promise<boolean> {
  const [objects, packs] = await counts(store);
  return objects >= limits.packLooseObjects || packs >= limits.packFiles;
}

/** Nobody else may be at work in the store. Throws if git fails or was ended. */
export async function packStore(store: SnapshotStore, { whole, signal }: Packing): Promise<void> {
  const [, packs] = await counts(store);
  const all = whole || packs >= limits.packFiles;
  // One processor is left to others, and memory is bounded: nobody waits for this.
  const modest = ["-c", "pack.threads=1", "-c", `pack.windowMemory=${limits.packMemoryBytes}`];
  const steps = [
    store.step(["pack-refs", "--all", "--prune"]),
    // What the index holds counts as kept, so that the next snapshot finds it.
    store.step([...modest, "repack", "-d", "-q", ...(all ? ["-a"] : [])]),
    store.step(["prune", "--expire=now"]),
  ];
  // A tree that was only compared with may be gone.
  store.plainTree = undefined;
  try {
    await store.runner.all(steps, { timeoutMs: limits.packMs, guard: true, signal });
  } catch (error) {
    await removeLeftovers(store.dir);
    throw error;
  }
}

/** Loose objects and packs. */
async function counts(store: SnapshotStore): Promise<[number, number]> {
  const objects = join(store.dir, "objects");
  const folders = (await namesOf(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name));
  const found = await Promise.all(folders.map((name) => namesOf(join(objects, name))));
  const packs = (await namesOf(join(objects, "pack"))).filter((name) => name.endsWith(".pack"));
  return [found.reduce((sum, names) => sum + names.length, 0), packs.length];
}

function namesOf(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
