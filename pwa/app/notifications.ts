// Notifications on this device: whether they are possible, how they are turned on and off, and how the subscription is
// kept alive.
import { computed, signal } from "@preact/signals";
import { endOfEndpoint } from "../../shared/device-notes.ts";
import { HandrailError } from "../../shared/errors.ts";
import { PushSubscriptionInfo } from "../../shared/push.ts";
import { changeNotify, type Notify, notifyOption, readNotify } from "../storage/notify.ts";
import { api, config, inWords, kv } from "./app-state.ts";
import { iosCoach } from "./install.ts";
import { openSessions } from "./open-sessions.ts";

/**
 * `insecure`: the page uses plain http. `install`: only an app on the home screen can have notifications.
 * `unsupported`: this browser cannot. `server`: the server has no keys. `denied`: the person, or the browser on their
 * behalf, has blocked them.
 */
export type Ability = "unknown" | "insecure" | "install" | "unsupported" | "server" | "denied" | "off" | "on";

/** The settings as stored; null if they are not read yet. */
export const notify = signal<Notify | null>(null);
/** Read again after each question to the person, because the browser fires no event when the permission changes. */
const permission = signal(permissionNow());

export const ability = computed((): Ability => {
  if (notify.value === null || config.value === null) return "unknown";
  if (!isSecureContext) return "insecure";
  if (!("PushManager" in window) || !("serviceWorker" in navigator))
    return iosCoach ? "install" : "unsupported";
  if (!config.value.push) return "server";
  if (permission.value === "denied") return "denied";
  return notify.value.subscription !== undefined && permission.value === "granted" ? "on" : "off";
});

/** Why notifications could not be turned on, or why or how a test ended; null if there is nothing to say. */
export const problem = signal<string | null>(null);

function permissionNow(): NotificationPermission {
  return "Notification" in globalThis ? Notification.permission : "default";
}

export async function loadNotifications(): Promise<void> {
  permission.value = permissionNow();
  notify.value = await readNotify(kv).catch(() => ({}));
}

export async function setNotify(change: Partial<Notify>): Promise<void> {
  notify.value = { ...notify.value, ...change };
  notify.value = await changeNotify(kv, change).catch(() => notify.value);
  const wanted = notifyOption(notify.value ?? {}, new Date());
  if (wanted === undefined) return;
  // Turns that already run in this tab use the new setting as well.
  let all = true;
  for await (const { session } of openSessions())
    if (session.runsHere) all = (await session.callInstead(wanted)) && all;
  runningCalls.value = all;
}

/** False if a running turn still uses an earlier setting, so that only later turns use the new one. */
export const runningCalls = signal(true);

/** Must be called from a tap: browsers ask for the permission only then. */
export async function turnOn(): Promise<void> {
  problem.value = null;
  permission.value = await Notification.requestPermission();
  await setNotify({ asked: true });
  if (permission.value !== "granted") return;
  await subscribe().catch((error: unknown) => {
    const why = error instanceof Error ? error.message : "";
    problem.value = `This browser's push service did not take the subscription. ${why}`.trim();
  });
}

export async function turnOff(): Promise<void> {
  problem.value = null;
  await setNotify({ subscription: undefined, publicKey: undefined });
  const subscription = await (await worker()).pushManager.getSubscription();
  await subscription?.unsubscribe();
}

/**
 * If notifications are on, makes sure that turns name the browser's current subscription. It subscribes again if the
 * browser has ended the subscription or if the server has another key. Never rejects.
 */
export async function renew(): Promise<void> {
  await loadNotifications();
  const publicKey = config.value?.push?.publicKey;
  const kept = notify.value?.subscription;
  if (kept === undefined || publicKey === undefined || permission.value !== "granted") return;
  try {
    const now = await (await worker()).pushManager.getSubscription();
    const isOver = now === null || (now.expirationTime !== null && now.expirationTime < Date.now());
    if (isOver || publicKey !== notify.value?.publicKey) await subscribe();
    else if (now.endpoint !== kept.endpoint) await setNotify({ subscription: infoOf(now) });
  } catch {
    // It is tried again when the app is next visible.
  }
}

/** Subscribes again if the endpoint ends with `end`: its push service has ended that subscription. Never rejects. */
export async function renewEnded(end: string): Promise<void> {
  await loadNotifications();
  const { subscription } = notify.value ?? {};
  if (!subscription || endOfEndpoint(subscription.endpoint) !== end) return;
  // It is tried again when the session next sends something.
  if (permission.value === "granted") await subscribe().catch(() => undefined);
}

/** Replaces the subscription by one with the server's key. */
async function subscribe(): Promise<void> {
  const publicKey = config.value?.push?.publicKey;
  if (publicKey === undefined) return;
  const { pushManager } = await worker();
  // A browser refuses a second key while an old subscription exists, and a subscription that has ended is useless.
  await (await pushManager.getSubscription())?.unsubscribe();
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  await setNotify({ subscription: infoOf(made), publicKey });
}

function infoOf(subscription: PushSubscription): PushSubscriptionInfo {
  return PushSubscriptionInfo.parse(subscription.toJSON());
}

const workerWithinMs = 10_000;

/** Rejects if there is no service worker: `ready` would wait for ever then. */
function worker(): Promise<ServiceWorkerRegistration> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error("Reload the page: its background part has not started."));
    const timer = setTimeout(late, workerWithinMs);
    void navigator.serviceWorker.ready.then((ready) => {
      clearTimeout(timer);
      resolve(ready);
    });
  });
}

/** The state of the newest test. `arrived`: when the notification came, in milliseconds. */
export type Test = { is: "sending" } | { is: "sent" } | { is: "lost" } | { is: "arrived"; at: number } | null;
export const lastTest = signal<Test>(null);

/** Push services take less time than this for a phone that is switched on. */
const arrivesWithinMs = 30_000;

/** Sends a test notification the same way as a real one. */
export async function sendTest(): Promise<void> {
  problem.value = null;
  lastTest.value = { is: "sending" };
  try {
    await sendOne(true);
    // The notification may have arrived before the server's answer.
    if (lastTest.value.is === "sending") lastTest.value = { is: "sent" };
    setTimeout(() => {
      if (lastTest.value?.is === "sent") lastTest.value = { is: "lost" };
    }, arrivesWithinMs);
  } catch (error) {
    lastTest.value = null;
    problem.value = inWords(error).message;
  }
}

/** A subscription that has ended is renewed once. */
async function sendOne(renews: boolean): Promise<void> {
  const subscription = notify.value?.subscription;
  if (subscription === undefined) return;
  try {
    await api.testPush(subscription);
  } catch (error) {
    if (!renews || !(error instanceof HandrailError) || error.code !== "not_kept") throw error;
    await subscribe();
    await sendOne(false);
  }
}

/** The service worker has shown the test notification. `at` is in milliseconds. */
export function testArrived(at: number): void {
  lastTest.value = { is: "arrived", at };
}
