// What the pages of changes and files share: Escape leaves them, and long lines of code are wrapped or scroll.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

export const wrapsLines = signal(false);

/** undefined: the page is shown beside the other one, so there is nothing to leave. An open sheet handles the key itself; a field that has the focus only loses it. */
export function useBackOnEscape(back: (() => void) | undefined): void {
  const latest = useRef(back);
  latest.current = back;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (latest.current === undefined) return;
      if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
      const { activeElement } = document;
      if (activeElement instanceof HTMLTextAreaElement) activeElement.blur();
      else latest.current();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
