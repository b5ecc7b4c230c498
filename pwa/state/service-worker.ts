// Registers the service worker that makes the app open offline; a new version takes over when nothing can be lost.

/** Does nothing in development and on plain http, where browsers have none. */
export function keepOffline(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  window.addEventListener("load", () => {
    navigator.serviceWorker.register("/sw.js", { scope: "/" }).catch(() => undefined);
  });
}
