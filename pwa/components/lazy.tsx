// A component whose code is loaded when it is first shown; until then its place is empty.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { loadCode } from "../browser/load-code.ts";
import { sleep, wake } from "../browser/page-signals.ts";
import { sheet } from "../browser/sheet.ts";
import { NotLoaded, NotLoadedPage } from "./not-loaded.tsx";

/** The pause before a failed part is requested again. It ends early if the page becomes visible or comes online. */
const againMs = 5_000;

/** `otherwise`: what is shown if the code cannot be loaded; "sheet" = a message while a sheet is open. */
export function lazy<P extends object>(
  load: () => Promise<ComponentType<P>>,
  otherwise: "words" | "page" | "sheet" | "nothing" = "words",
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function Lazy(props: P) {
    const [failed, setFailed] = useState(false);
    const [, setReady] = useState(loaded !== undefined);
    useEffect(() => {
      // Another instance may have loaded it since this one was drawn.
      if (loaded !== undefined) return setReady(true);
      let left = false;
      const keepLoading = async () => {
        while (!left) {
          try {
            loaded = await loadCode(load);
            return setReady(true);
          } catch {
            setFailed(true);
          }
          await pause();
        }
      };
      void keepLoading();
      return () => {
        left = true;
      };
    }, []);
    const Component = loaded;
    if (Component !== undefined) return <Component {...props} />;
    if (!failed || otherwise === "nothing" || (otherwise === "sheet" && sheet.value === null)) return null;
    return otherwise === "page" ? <NotLoadedPage /> : <NotLoaded />;
  };
}

async function pause(): Promise<void> {
  const over = new AbortController();
  await Promise.race([wake(over.signal), sleep(againMs, over.signal)]);
  over.abort();
}
