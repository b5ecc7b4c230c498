// Forgets everything on this device. Nothing on the server is touched.
import { kv, otherTabs, signedOut } from "./app-state.ts";
import { letGoOfAll } from "./open-sessions.ts";

/** Deletes the token, keys, sessions, drafts, and the copy of the app that opens offline, then reloads the page. */
export async function signOut(): Promise<void> {
  // Other tabs are told first: what they hold in memory must not be stored after everything was deleted.
  otherTabs.postMessage(signedOut);
  await letGoOfAll();
  await kv.clear("");
  localStorage.clear();
  sessionStorage.clear();
  if ("caches" in globalThis) for (const name of await caches.keys()) await caches.delete(name);
  if ("serviceWorker" in navigator)
    for (const worker of await navigator.serviceWorker.getRegistrations()) {
      await endNotifications(worker).catch(() => undefined);
      await worker.unregister();
    }
  location.replace(location.pathname);
}

/** Closes all notifications and ends the subscription, because somebody else may use the phone next. */
async function endNotifications(worker: ServiceWorkerRegistration): Promise<void> {
  for (const shown of await worker.getNotifications()) shown.close();
  await navigator.clearAppBadge?.();
  const subscription = await worker.pushManager?.getSubscription();
  await subscription?.unsubscribe();
}
