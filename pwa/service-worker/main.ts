// Our own part of the service worker: notifications, taps on them, and subscriptions that the browser replaces while
// the app is closed. The generated part keeps the app usable offline.

import { PushSubscriptionInfo } from "../../shared/push.ts";
import { type Kv, openKv } from "../storage/kv.ts";
import { changeNotify, readNotify } from "../storage/notify.ts";
import { keepAnswersScript } from "./answers-script.ts";
import { scope } from "./scope.ts";
import { showPush } from "./show-push.ts";
import { giveAllKept, onTap, syncTag } from "./tap.ts";

const kv = openKv();

scope.addEventListener("install", keepAnswersScript);
scope.addEventListener("push", (event) => {
  event.waitUntil(showPush(kv, event.data?.text() ?? ""));
  // There is a connection, so answers that could not be sent before are sent, even if the browser did not register for
  // the event that announces one.
  event.waitUntil(giveAllKept(kv).catch(() => undefined));
});
scope.addEventListener("notificationclick", (event) => event.waitUntil(onTap(kv, event)));
scope.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renewSubscription(kv)));
scope.addEventListener("sync", (event) => {
  if (event.tag === syncTag) event.waitUntil(giveAllKept(kv));
});

/** Subscribes again with the same key. If that fails, the app tries again when it is opened. Never rejects. */
async function renewSubscription(kv: Kv): Promise<void> {
  const { subscription, publicKey } = await readNotify(kv);
  if (subscription === undefined || publicKey === undefined) return;
  try {
    const renewed = await scope.registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: publicKey,
    });
    await changeNotify(kv, { subscription: PushSubscriptionInfo.parse(renewed.toJSON()) });
  } catch {
    // The old subscription stays stored, so the app will notice that the browser has a different one, or none.
  }
}
