// The count on the app's icon while the app is closed: sessions that wait for the person, as stored or as notified.
import type { Kv } from "../storage/kv.ts";
import { listRecords } from "../storage/session-record.ts";
import { scope } from "./scope.ts";
import { shownData } from "./shown.ts";

/** Never rejects: many platforms have no badge. */
export async function showBadge(kv: Kv): Promise<void> {
  const { navigator, registration } = scope;
  if (navigator.setAppBadge === undefined) return;
  try {
    const stored = (await listRecords(kv)).flatMap(({ id, archived, summary: { mark } }) =>
      archived !== true && (mark === "waiting" || mark === "failed") ? [id] : [],
    );
    const notified = (await registration.getNotifications()).flatMap((notification) => {
      const { kind, sessionId } = shownData(notification) ?? {};
      const waits = kind !== undefined && kind !== "end" && kind !== "running";
      return waits && sessionId !== undefined ? [sessionId] : [];
    });
    await navigator.setAppBadge(new Set([...stored, ...notified]).size);
  } catch {
    // Nothing depends on it.
  }
}
