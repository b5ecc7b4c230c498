// The phone's store in memory. It has the same contract as the one over IndexedDB, which the browser suite
// tests.
import type { Kv } from "../../../pwa/storage/kv.ts";

export function memoryKv(): Kv & { map: Map<string, unknown>; writes: number } {
  const map = new Map<string, unknown>();
  const kv = {
    map,
    writes: 0,
    get: async (key: string) => structuredClone(map.get(key)),
    getMany: async (keys: readonly string[]) => keys.map((key) => structuredClone(map.get(key))),
    range: async (prefix: string) =>
      [...map]
        .filter(([key]) => key.startsWith(prefix))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, value]): [string, unknown] => [key, structuredClone(value)]),
    write: async (puts: readonly (readonly [string, unknown])[], deletes: readonly string[] = []) => {
      kv.writes += 1;
      for (const [key, value] of puts) map.set(key, structuredClone(value));
      for (const key of deletes) map.delete(key);
    },
    update: async <T>(key: string, change: (old: unknown) => T) => {
      kv.writes += 1;
      const value = change(structuredClone(map.get(key)));
      map.set(key, structuredClone(value));
      return value;
    },
    clear: async (prefix: string) => {
      for (const key of [...map.keys()]) if (key.startsWith(prefix)) map.delete(key);
    },
  };
  return kv;
}
