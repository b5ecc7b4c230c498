// Whether the app can be put on the home screen from here, and how.
import { computed } from "@preact/signals";
import { installOffer } from "./service-worker.ts";

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
