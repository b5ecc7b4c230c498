// The tags and data of shown notifications, and the badge on the icon of a closed app: the number of sessions that wait
// for the person.

import * as z from "zod/mini";
import { NewsAsk, NewsKind } from "../../shared/push.ts";
import type { Kv } from "../storage/kv.ts";
import { listRecords } from "../storage/session-record.ts";
import { scope } from "./scope.ts";

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
    // A failure is ignored, because nothing depends on the badge.
  }
}

export const ShownData = z.object({
  kind: NewsKind,
  /** Absent if this device does not have the session. */
  sessionId: z.optional(z.string()),
  turnId: z.string(),
  /** What the notification's buttons decide; missing if it has no buttons. */
  ask: z.optional(NewsAsk),
});
export type ShownData = z.infer<typeof ShownData>;

/** Each session has one tag, so that a later notification replaces an earlier one. */
export function notificationTag(sessionId: string): string {
  return `session/${sessionId}`;
}

export function shownData({ data }: Notification): ShownData | undefined {
  const parsed = z.safeParse(ShownData, data);
  return parsed.success ? parsed.data : undefined;
}
