// The behaviour that the pages of changes and files share: Escape leaves them, and long lines of code wrap or scroll.
import { signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export const wrapsLines = signal(false);

/**
 * undefined means that the page is shown beside another one, so Escape leaves nothing. An open sheet handles the key
 * itself; a focused field only loses the focus.
 */
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

/** Whether an element is at least `from` CSS pixels wide. */
export function useIsWide(element: RefObject<HTMLElement | null>, from: number): boolean {
  const [wide, setWide] = useState(false);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => entry && setWide(entry.contentRect.width >= from));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return wide;
}
