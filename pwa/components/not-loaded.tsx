// Shown if code or stored data could not be loaded: says what happened and what to do.
import { useSignal } from "@preact/signals";
import { saveDrafts } from "../app/open-sessions.ts";
import { notLoadedWords } from "../browser/load-code.ts";
import { goBack } from "../browser/route.ts";
import { Header } from "./header.tsx";

export function NotLoaded({ words = notLoadedWords }: { words?: string }) {
  const still = useSignal(false);
  const tryAgain = async () => {
    still.value = false;
    still.value = !(await reload());
  };
  return (
    <div class="page-words" role="alert">
      <p class="muted">{words}</p>
      <button type="button" class="button soft" onClick={() => void tryAgain()}>
        Retry
      </button>
      {still.value && <p class="muted">There is still no connection.</p>}
    </div>
  );
}

/** The same as a whole page. */
export function NotLoadedPage({ words, title = "Not loaded" }: { words?: string; title?: string }) {
  return (
    <main class="page">
      <Header title={title} onBack={() => goBack({ page: "sessions" })} />
      <NotLoaded {...(words === undefined ? {} : { words })} />
    </main>
  );
}

/**
 * Reloads the page, because browsers cache a failed import and an updated server has other files. Returns false if the
 * page cannot be fetched; the current screen then stays instead of the browser's error page.
 */
async function reload(): Promise<boolean> {
  const answer = await fetch(location.pathname, { cache: "no-store" }).catch(() => undefined);
  if (answer?.ok !== true) return false;
  await saveDrafts();
  location.reload();
  return true;
}
