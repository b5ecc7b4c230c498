// The phone's only database, with one store, opened with idb-keyval. It does not interpret its content.
import { promisifyRequest } from "idb-keyval";

/**
 * Flat string keys; `write` is atomic: all of its puts and deletes, or none. Reads return the stored value, unparsed.
 */
export interface Kv {
  get(key: string): Promise<unknown>;
  getMany(keys: readonly string[]): Promise<unknown[]>;
  /** Every pair whose key begins with `prefix`, in key order. */
  range(prefix: string): Promise<[string, unknown][]>;
  write(puts: readonly (readonly [string, unknown])[], deletes?: readonly string[]): Promise<void>;
  /**
   * Replaces the stored value by `change(value)` and returns the result. Atomic: of two changes at once, even in two
   * tabs, neither is lost.
   */
  update<T>(key: string, change: (old: unknown) => T): Promise<T>;
  /** Deletes every key that begins with `prefix`; "" deletes all keys. */
  clear(prefix: string): Promise<void>;
}

function prefixRange(prefix: string): IDBKeyRange {
  return IDBKeyRange.bound(prefix, `${prefix}\uffff`);
}

type UseStore = <T>(mode: IDBTransactionMode, run: (store: IDBObjectStore) => Promise<T>) => Promise<T>;

/**
 * The store `kv` of the database `name`, opened on first use, and again after the browser closed it. `onLost` is called
 * if the data that existed when this page opened is gone, because the browser or the person deleted the database.
 */
function openStore(name: string, onLost: () => void): { use: UseStore; reopen(): void } {
  let opening: Promise<IDBDatabase> | undefined;
  let knew = false;
  let told = false;
  const open = async () => {
    const request = indexedDB.open(name);
    let fresh = false;
    request.onupgradeneeded = () => {
      request.result.createObjectStore("kv");
      fresh = true;
    };
    const database = await promisifyRequest(request);
    if (fresh && knew && !told) onLost();
    told = false;
    knew = true;
    database.onclose = () => {
      opening = undefined;
    };
    // Without this, a deletion would wait until the page closes, and would then delete newer data as well.
    database.onversionchange = ({ newVersion }) => {
      opening = undefined;
      database.close();
      if (newVersion !== null) return;
      told = true;
      onLost();
    };
    return database;
  };
  return {
    use: async (mode, run) => {
      opening ??= open().catch((error) => {
        opening = undefined;
        throw error;
      });
      return run((await opening).transaction("kv", mode).objectStore("kv"));
    },
    reopen: () => {
      opening = undefined;
    },
  };
}

/**
 * The store of `name`. Browsers close connections of background pages and report it with several kinds of errors, so
 * the store is reopened once. A write happens completely or not at all, so repeating it does no harm.
 */
export function openKv(name = "handrail", onLost: () => void = () => undefined): Kv {
  const store = openStore(name, onLost);
  const use = async <T>(mode: IDBTransactionMode, run: (store: IDBObjectStore) => Promise<T>): Promise<T> => {
    try {
      return await store.use(mode, run);
    } catch (error) {
      if (!(error instanceof DOMException) || error.name === "QuotaExceededError") throw error;
      store.reopen();
      return store.use(mode, run);
    }
  };
  return {
    get: (key) => use<unknown>("readonly", (kv) => promisifyRequest(kv.get(key))),
    getMany: (keys) =>
      use("readonly", (kv) => Promise.all(keys.map((key) => promisifyRequest<unknown>(kv.get(key))))),
    range: (prefix) =>
      use("readonly", async (kv) => {
        const [keys, values] = await Promise.all([
          promisifyRequest(kv.getAllKeys(prefixRange(prefix))),
          promisifyRequest<unknown[]>(kv.getAll(prefixRange(prefix))),
        ]);
        return keys.map((key, index): [string, unknown] => [String(key), values[index]]);
      }),
    write: (puts, deletes = []) =>
      use("readwrite", (kv) => {
        for (const [key, value] of puts) kv.put(value, key);
        for (const key of deletes) kv.delete(key);
        return promisifyRequest(kv.transaction);
      }),
    update: (key, change) =>
      use("readwrite", (kv) => {
        const request = kv.get(key);
        // Write inside the event handler, because the transaction would be over afterwards. An error aborts it.
        const changed = new Promise<ReturnType<typeof change>>((resolve) => {
          request.onsuccess = () => {
            const value = change(request.result);
            kv.put(value, key);
            resolve(value);
          };
        });
        return promisifyRequest(kv.transaction).then(() => changed);
      }),
    clear: (prefix) =>
      use("readwrite", (kv) => {
        kv.delete(prefixRange(prefix));
        return promisifyRequest(kv.transaction);
      }),
  };
}
