// Puts the app on the home screen, and updates it when the person agrees and every draft is stored.
import { computed, signal } from "@preact/signals";
import { installOffer } from "../browser/service-worker.ts";
import { saveDrafts } from "./open-sessions.ts";

export const canInstall = computed(() => installOffer.value !== null);

export const isInstalled =
  matchMedia("(display-mode: standalone)").matches ||
  ("standalone" in navigator && navigator.standalone === true);

/**
 * Browsers on iPhones and iPads do not offer to install: the person has to find the menu entry. iPads claim to be Macs.
 */
export const iosCoach =
  !isInstalled &&
  (/iPhone|iPad|iPod/.test(navigator.userAgent) ||
    (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1));

/** Shows the browser's own dialog. The browser allows each offer to be used only once. */
export async function install(): Promise<void> {
  const offer = installOffer.value;
  installOffer.value = null;
  await offer?.prompt();
}

/** True if a new version waits, or if another tab already took it and this tab still runs the old one. */
export const updateReady = signal(false);

/** True once a service worker has stored the app. Without one, as in private windows, it needs a connection to open. */
export const opensOffline = signal(false);

const lookEveryMs = 3_600_000;
/** How long to wait after a first service worker whose installation failed, and how often to try again. */
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
    // The first service worker takes over a page that was loaded without one. Both have the same version, so nothing
    // has to be reloaded.
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
    // Without a service worker the app works, but needs a connection to open.
  }
}

/**
 * Installing loads every file of the app. If the network changes meanwhile, the installation fails, and the browser
 * would wait for the next visit. `look` is called at each state of a new worker.
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

/** Stores typed text, lets the new version take over, and reloads the page. */
export async function takeUpdate(): Promise<void> {
  await saveDrafts();
  asked = true;
  if (worker?.waiting) worker.waiting.postMessage({ type: "SKIP_WAITING" });
  else location.reload();
}
