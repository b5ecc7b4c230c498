// Reads a page's storage: everything under a key, and the history of the visible session without ids and
// times, which differ from run to run.
import type { Page } from "playwright-core";

interface StoredEntry {
  event: string;
  data: { message?: Record<string, unknown>; [field: string]: unknown };
}

/** The values whose keys begin with `prefix`, in key order. */
export function storedUnder(page: Page, prefix: string): Promise<unknown[]> {
  return page.evaluate(
    (begin) =>
      new Promise<unknown[]>((resolve, reject) => {
        const opening = indexedDB.open("handrail");
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const range = IDBKeyRange.bound(begin, `${begin}\uffff`);
          const reading = opening.result.transaction("kv").objectStore("kv").getAll(range);
          reading.onsuccess = () => {
            opening.result.close();
            resolve(reading.result);
          };
          reading.onerror = () => reject(reading.error);
        };
      }),
    prefix,
  );
}

/**
 * Resolves once the ends of all turns are stored, because the page shows them before it stores them. Call it
 * once something of the last turn is visible.
 */
export async function turnsStored(page: Page): Promise<void> {
  const underWay = async () => {
    const outboxes = (await storedUnder(page, "outbox/")) as { turn: unknown }[];
    return outboxes.some(({ turn }) => turn !== null);
  };
  while (await underWay()) await page.evaluate(() => new Promise(requestAnimationFrame));
}

/** The entries in order, each reduced to its words, actions and decisions. */
export async function storedHistory(page: Page): Promise<unknown[]> {
  const id = /#\/s\/([^/]+)/.exec(page.url())?.[1] ?? "";
  const entries = (await storedUnder(page, `segment/${id}/`)).flat();
  return (entries as StoredEntry[]).map(({ event, data }) => {
    const { message } = data;
    if (message === undefined) return { event, reason: data.reason };
    const { role, content, toolCalls, ok, finish, mode } = message;
    const calls = Array.isArray(toolCalls)
      ? toolCalls.map((call: { name: string; arguments: string }) => [call.name, call.arguments])
      : undefined;
    return { event, role, content, calls, ok, finish, mode };
  });
}
