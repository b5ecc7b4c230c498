// Time, visibility and the network as promises, so that a turn can wait for them.

/** After a page was hidden for longer than this, its streams may be dead: phones cut them, often without an error. */
const doubtAfterHiddenMs = 8_000;

export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}

const listeners = new Set<() => void>();

/** Ends every wait of `wake`, for causes that the browser does not report: a new token, or a tap on "Retry". */
export function wakeNow(): void {
  for (const listener of [...listeners]) listener();
}

/** Resolves when the page becomes visible, is restored from the cache or comes online, and on `wakeNow`. */
export function wake(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const onVisible = () => {
      if (document.visibilityState === "visible") done();
    };
    const done = () => {
      listeners.delete(done);
      document.removeEventListener("visibilitychange", onVisible);
      window.removeEventListener("pageshow", done);
      window.removeEventListener("online", done);
      resolve();
    };
    listeners.add(done);
    document.addEventListener("visibilitychange", onVisible);
    window.addEventListener("pageshow", done);
    window.addEventListener("online", done);
    signal.addEventListener("abort", done, { once: true });
  });
}

/**
 * Resolves when the page becomes visible after a long absence, when it was frozen or cached, or when the network
 * disconnects or returns.
 */
export function doubt(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let hiddenAt: number | null = document.visibilityState === "hidden" ? Date.now() : null;
    const onVisibility = () => {
      if (document.visibilityState === "hidden") hiddenAt ??= Date.now();
      else if (hiddenAt !== null && Date.now() - hiddenAt > doubtAfterHiddenMs) done();
      else hiddenAt = null;
    };
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && done();
    const listening = new AbortController();
    const done = () => {
      listening.abort();
      resolve();
    };
    const until = { signal: listening.signal };
    document.addEventListener("visibilitychange", onVisibility, until);
    document.addEventListener("resume", done, until);
    window.addEventListener("pageshow", onShow, until);
    window.addEventListener("online", done, until);
    window.addEventListener("offline", done, until);
    signal.addEventListener("abort", done, { once: true });
  });
}

export function isOnline(): boolean {
  return navigator.onLine;
}

/**
 * Streamed text is drawn no more often than this: it still looks continuous, at a third of the cost of drawing every
 * frame.
 */
const drawEveryMs = 50;
let drawnAt = -Infinity;

/** Runs `flush` in the next frame, or soon if the page is hidden and no frame comes. */
export function inNextFrame(flush: () => void): void {
  let done = false;
  const once = () => {
    if (done) return;
    done = true;
    clearTimeout(timer);
    drawnAt = performance.now();
    flush();
  };
  const timer = setTimeout(once, 200);
  const earlyMs = drawnAt + drawEveryMs - performance.now();
  if (earlyMs > 0) setTimeout(() => requestAnimationFrame(once), earlyMs);
  else requestAnimationFrame(once);
}
