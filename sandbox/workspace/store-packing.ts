// Makes a snapshot store smaller: loose objects and references are packed, and objects that no one keeps are
// removed. If git is killed at any point, everything that is kept stays readable, because git removes nothing
// before its replacement is complete.
import { join } from "node:path";
import * as limits from "../limits.ts";
import type { SnapshotStore } from "./snapshot-store.ts";
import { namesInFolder, removeLeftovers } from "./store-leftovers.ts";

export interface Packing {
  /** true = everything goes into one pack, without objects that are no longer kept. */
  whole: boolean;
  /** Ends packing early. The store stays valid. */
  signal: AbortSignal;
}

/** Whether there is enough to gain from packing. */
export async function isLoose(store: SnapshotStore): Promise<boolean> {
  const [objects, packs] = await counts(store);
  return objects >= limits.packLooseObjects || packs >= limits.packFiles;
}

/** No other work may run in the store. Throws if git fails or was ended. */
export async function packStore(store: SnapshotStore, { whole, signal }: Packing): Promise<void> {
  const [, packs] = await counts(store);
  const all = whole || packs >= limits.packFiles;
  // Packing uses one processor and limited memory, because nothing waits for it.
  const modest = ["-c", "pack.threads=1", "-c", `pack.windowMemory=${limits.packMemoryBytes}`];
  const steps = [
    store.step(["pack-refs", "--all", "--prune"]),
    // Objects in the index count as kept, so that the next snapshot finds them.
    store.step([...modest, "repack", "-d", "-q", ...(all ? ["-a"] : [])]),
    store.step(["prune", "--expire=now"]),
  ];
  // No reference keeps this tree, so packing may remove it.
  store.plainTree = undefined;
  try {
    await store.runner.all(steps, { timeoutMs: limits.packMs, guard: true, signal });
  } catch (error) {
    await removeLeftovers(store.dir);
    throw error;
  }
}

/** The numbers of loose objects and packs. */
async function counts(store: SnapshotStore): Promise<[number, number]> {
  const objects = join(store.dir, "objects");
  const folders = (await namesInFolder(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name));
  const found = await Promise.all(folders.map((name) => namesInFolder(join(objects, name))));
  const packs = (await namesInFolder(join(objects, "pack"))).filter((name) => name.endsWith(".pack"));
  return [found.reduce((sum, names) => sum + names.length, 0), packs.length];
}
