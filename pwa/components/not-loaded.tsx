// Said where code, or what is kept, could not be loaded: that it is so, and the way on.
import { useSignal } from "@preact/signals";
import { saveDrafts } from "../app/open-sessions.ts";
import { goBack } from "../browser/route.ts";
import { Header } from "./header.tsx";

const partWords = "This part could not be loaded. It needs a connection to your Handrail server once.";

export function NotLoaded({ words = partWords }: { words?: string }) {
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

/** In the place of a whole page. */
export function NotLoadedPage({ words, title = "Not loaded" }: { words?: string; title?: string }) {
  return (
    <main class="page">
      <Header title={title} onBack={() => goBack({ page: "sessions" })} />
      <NotLoaded {...(words === undefined ? {} : { words })} />
    </main>
  );
}

/**
 * Asks for the page anew: browsers keep an import that failed, and a server that was updated has other files. False
 * where it cannot be had, so that what is on the screen is not given up for a browser's error page.
 */
async function reload(): Promise<boolean> {
  const answer = await fetch(location.pathname, { cache: "no-store" }).catch(() => undefined);
  if (answer?.ok !== true) return false;
  await saveDrafts();
  location.reload();
  return true;
}
