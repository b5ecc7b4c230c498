// The app's effects outside of its page: the badge on its icon, keeping the screen on, taking shares, and finishing
// deletions.
import { computed, effect } from "@preact/signals";
import { route } from "../browser/route.ts";
import { lostStorage, records, settings } from "./app-state.ts";
import { beginNotifications } from "./hear-worker.ts";
import { rememberSessions } from "./lost-storage.ts";
import { watchServer } from "./server-watch.ts";
import { removeDeleted } from "./session-actions.ts";
import { takeShared } from "./shared-text.ts";

/** Starts these effects. `query` is the query of the address with which the page was opened. */
export function beginPageEffects(query: string): void {
  void takeShared(query);
  void removeDeleted().catch(() => undefined);
  watchServer();
  beginNotifications();
  effect(showBadge);
  effect(() => {
    // The sessions that were remembered before a loss are needed until the device is paired again.
    if (lostStorage.value !== "before") rememberSessions(records.value);
  });
  effect(() => void keepScreenOn(watchesRunning()));
  // The browser ends a wake lock whenever the page is hidden.
  document.addEventListener("visibilitychange", () => void keepScreenOn(watchesRunning()));
}

/**
 * Counts the sessions that wait for the person or have failed. Records change with every event, so the badge is set
 * only when this number changes.
 */
const waiting = computed(
  () =>
    records.value.filter(
      ({ archived, summary: { mark } }) => archived !== true && (mark === "waiting" || mark === "failed"),
    ).length,
);

function showBadge(): void {
  const count = waiting.value;
  if (!("setAppBadge" in navigator)) return;
  const set = count === 0 ? navigator.clearAppBadge() : navigator.setAppBadge(count);
  set.catch(() => undefined);
}

function watchesRunning(): boolean {
  const at = route.value;
  if (at.page !== "session" || settings.value.keepAwake === false) return false;
  return records.value.find(({ id }) => id === at.id)?.summary.mark === "running";
}

let lock: WakeLockSentinel | null = null;
let wanted = false;

async function keepScreenOn(on: boolean): Promise<void> {
  wanted = on;
  // The API is missing on plain http, although its type says otherwise.
  const wakeLock: WakeLock | undefined = navigator.wakeLock;
  if (!on) {
    const held = lock;
    lock = null;
    await held?.release().catch(() => undefined);
    return;
  }
  if (wakeLock === undefined || document.visibilityState !== "visible" || lock?.released === false) return;
  const held = await wakeLock.request("screen").catch(() => null);
  lock = held;
  if (!wanted) await keepScreenOn(false);
}
