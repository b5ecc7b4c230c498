// Listens for the browser's offer to install the app, which may come at once. Everything else about the service worker
// is loaded after the first paint.
import { signal } from "@preact/signals";

/** The browser's own offer, kept until the person wants it. https://developer.mozilla.org/docs/Web/API/BeforeInstallPromptEvent */
export interface InstallOffer extends Event {
  prompt(): Promise<unknown>;
}

export const installOffer = signal<InstallOffer | null>(null);

function isOffer(event: Event): event is InstallOffer {
  return "prompt" in event;
}

/**
 * The service worker makes the app open offline. There is none in development, and browsers allow none on plain http.
 */
export function keepOffline(watchForUpdates: () => Promise<void>): void {
  window.addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    if (isOffer(event)) installOffer.value = event;
  });
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  window.addEventListener("load", () => {
    void watchForUpdates().catch(() => undefined);
  });
}
