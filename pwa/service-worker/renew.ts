// The browser exchanged or ended the subscription while the app was closed.

import { PushSubscriptionInfo } from "../../shared/push.ts";
import type { Kv } from "../storage/kv.ts";
import { changeNotify, readNotify } from "../storage/notify.ts";
import { scope } from "./scope.ts";

/** Subscribes anew with the same key. Where that fails, the app tries again when it is opened. Never rejects. */
export async function renewSubscription(kv: Kv): Promise<void> {
  const { subscription, publicKey } = await readNotify(kv);
  if (subscription === undefined || publicKey === undefined) return;
  try {
    const renewed = await scope.registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: publicKey,
    });
    await changeNotify(kv, { subscription: PushSubscriptionInfo.parse(renewed.toJSON()) });
  } catch {
    // The old one stays noted: the app sees that the browser has another one, or none.
  }
}
