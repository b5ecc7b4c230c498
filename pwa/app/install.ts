// The app on the device: put on the home screen, and replaced by a new version when the person says so, once every draft
// is stored.
import { computed, signal } from "@preact/signals";
import { installOffer } from "../browser/service-worker.ts";
import { saveDrafts } from "./open-sessions.ts";

export const canInstall = computed(() => installOffer.value !== null);

export const isInstalled =
  matchMedia("(display-mode: standalone)").matches ||
  ("standalone" in navigator && navigator.standalone === true);

/** Browsers of iPhones and iPads make no offer: the person has to find the entry. iPads say that they are Macs. */
export const iosCoach =
  !isInstalled &&
  (/iPhone|iPad|iPod/.test(navigator.userAgent) ||
    (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1));

/** Shows the browser's own dialog; its offer is good for once. */
export async function install(): Promise<void> {
  const offer = installOffer.value;
  installOffer.value = null;
  await offer?.prompt();
}

/** A new version waits, or another tab took it and this one still runs the old. */
export const updateReady = signal(false);

/** A service worker has stored the app: browsers without one, or private windows, open it only with a connection. */
export const opensOffline = signal(false);

const lookEveryMs = 3_600_000;
/** After a first service worker whose installation failed; so many times. */
const againMs = 10_000;
const tries = 5;
let worker: ServiceWorkerRegistration | undefined;
let asked = false;

/** Registers the service worker and watches for the next one. Never throws. */
export async function watchForUpdates(): Promise<void> {
  const container = navigator.serviceWorker;
  let controlled = container.controller !== null;
  container.addEventListener("controllerchange", () => {
    if (asked) location.reload();
    // The first service worker only takes over a page loaded without it: that is the same version.
    updateReady.value ||= controlled;
    controlled = true;
  });
  const look = () => {
    if (worker?.waiting && controlled) updateReady.value = true;
  };
  try {
    await register(look, tries);
    look();
    let lookedAt = Date.now();
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState !== "visible" || Date.now() - lookedAt < lookEveryMs) return;
      lookedAt = Date.now();
      void worker?.update().catch(() => undefined);
    });
  } catch {
    // No service worker here: the app works, but needs a connection to open.
  }
}

/**
 * Installing loads every file of the app: a network that changes meanwhile ends it, and the browser would wait for the
 * next visit. `look` is called at each state of a new one.
 */
async function register(look: () => void, left: number): Promise<void> {
  const registration = await navigator.serviceWorker.register("/sw.js", { scope: "/" });
  worker = registration;
  opensOffline.value = registration.active !== null;
  registration.addEventListener("updatefound", () => {
    const { installing } = registration;
    installing?.addEventListener("statechange", () => {
      look();
      opensOffline.value ||= installing.state === "activated";
      if (installing.state !== "redundant" || registration.active !== null || left === 0) return;
      setTimeout(() => void register(look, left - 1).catch(() => undefined), againMs);
    });
  });
}

/** Stores typed text, lets the new version take over, and loads it. */
export async function takeUpdate(): Promise<void> {
  await saveDrafts();
  asked = true;
  if (worker?.waiting) worker.waiting.postMessage({ type: "SKIP_WAITING" });
  else location.reload();
}
