// Loads parts of the app's code. When a phone changes from Wi-Fi to its mobile network, Chromium aborts the file that
// it is loading (ERR_NETWORK_CHANGED), so a failed import is tried again before the person sees an error.

const pausesMs = [250, 1_000];

export const notLoadedWords =
  "This part could not be loaded. It needs a connection to your Handrail server once.";

/** Tries three times, then throws an error with `notLoadedWords`. */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return load().catch(() => {
    throw new Error(notLoadedWords);
  });
}

const longestPauseMs = 10_000;

/** Vite's loader asks for a style sheet only once; after a failure it would load this part without its styles. */
export function reloadFailedStyles(): void {
  addEventListener(
    "error",
    ({ target }) => {
      if (!(target instanceof HTMLLinkElement) || target.rel !== "stylesheet") return;
      const pauseMs = Number(target.dataset.pauseMs ?? 200);
      const again = document.createElement("link");
      Object.assign(again, { rel: "stylesheet", crossOrigin: "", href: target.href });
      again.dataset.pauseMs = String(Math.min(2 * pauseMs, longestPauseMs));
      setTimeout(() => target.replaceWith(again), pauseMs);
    },
    true,
  );
}
