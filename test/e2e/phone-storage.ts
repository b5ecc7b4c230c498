// The app's storage in a page's browser: tests read it, break it and fill it up.
import type { Page } from "playwright-core";

interface KeptAction {
  do: "keys" | "values" | "put" | "fill" | "empty";
  prefix?: string;
  value?: unknown;
}

/** The keys of everything in the app's database. */
export async function keptKeys(page: Page): Promise<string[]> {
  return (await act(page, { do: "keys" })) as string[];
}

/** Everything that the app stores on the phone, as text. */
export async function everythingKept(page: Page): Promise<string> {
  const values = await act(page, { do: "values" });
  return JSON.stringify([values, await page.evaluate(() => ({ ...localStorage }))]);
}

/**
 * Puts `value` in place of every record whose key begins with `prefix`. Call it only after the page has
 * stored its turns, since later writes of the page would overwrite `value`.
 */
export async function putKept(page: Page, prefix: string, value: unknown): Promise<void> {
  await act(page, { do: "put", prefix, value });
}

/**
 * Sets the quota that the browser gives to the origin of `url`. It applies when the database is opened again,
 * so the page leaves the app.
 */
export async function grant(page: Page, url: string, bytes: number): Promise<void> {
  await page.goto(`${url}/icon.svg`);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Storage.overrideQuotaForOrigin", { origin: url, quotaSize: bytes });
}

/** Puts incompressible bytes into the app's database until it is full. */
export async function fillUp(page: Page): Promise<void> {
  await act(page, { do: "fill" });
}

/** Removes the bytes that `fillUp` put there. */
export async function emptyAgain(page: Page): Promise<void> {
  await act(page, { do: "empty" });
}

function act(page: Page, action: KeptAction): Promise<unknown> {
  return page.evaluate(inDatabase, action);
}

/** This function runs in the page. */
async function inDatabase({ do: action, prefix = "", value }: KeptAction): Promise<unknown> {
  const opening = indexedDB.open("handrail");
  await new Promise((resolve) => {
    opening.onsuccess = resolve;
  });
  const database = opening.result;
  const all = (from: string) => IDBKeyRange.bound(from, `${from}\uffff`);
  const run = <T>(mode: IDBTransactionMode, work: (kv: IDBObjectStore) => IDBRequest<T>) =>
    new Promise<T | undefined>((resolve) => {
      const transaction = database.transaction("kv", mode);
      const request = work(transaction.objectStore("kv"));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => resolve(undefined);
    });
  const keys = await run("readonly", (kv) => kv.getAllKeys(all(prefix)));
  const done = async () => {
    switch (action) {
      case "keys":
        return keys;
      case "values":
        return run("readonly", (kv) => kv.getAll(all(prefix)));
      case "put":
        for (const key of keys ?? []) await run("readwrite", (kv) => kv.put(value, key));
        return undefined;
      case "empty":
        return run("readwrite", (kv) => kv.delete(all("ballast/")));
      case "fill":
        for (let size = 60_000, at = 0; size > 100; at += 1) {
          const ballast = crypto.getRandomValues(new Uint8Array(size));
          if ((await run("readwrite", (kv) => kv.put(ballast, `ballast/${at}`))) === undefined) size /= 2;
        }
        return undefined;
    }
  };
  return done().finally(() => database.close());
}
