// What a page has stored of the session it shows, without what differs from run to run: ids and times.
import type { Page } from "playwright-core";

interface StoredEntry {
  event: string;
  data: { message?: Record<string, unknown>; [field: string]: unknown };
}

/** The entries in order, each reduced to what was said, done and decided. */
export async function storedHistory(page: Page): Promise<unknown[]> {
  const id = /#\/s\/([^/]+)/.exec(page.url())?.[1] ?? "";
  const entries = await page.evaluate(
    (prefix) =>
      new Promise<unknown[]>((resolve, reject) => {
        const opening = indexedDB.open("handrail");
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`);
          const reading = opening.result.transaction("kv").objectStore("kv").getAll(range);
          reading.onsuccess = () => resolve(reading.result.flat());
          reading.onerror = () => reject(reading.error);
        };
      }),
    `segment/${id}/`,
  );
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
