// What protects a person from a sheet that opens by itself: it takes no tap for a moment, and the focus stays where they type.
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { arrivalMs, cameByItself, isTextField } from "../browser/typing.ts";

/** Space has a meaning in a sheet, but within this time nobody can have meant it. */
const unreadMs = 1_000;

/** Whether the sheet should be `inert` for now. */
export function useArrival(dialog: RefObject<HTMLDialogElement | null>): boolean {
  const [arriving, setArriving] = useState(() => cameByItself.peek());
  useEffect(() => {
    if (!arriving) return;
    const timer = setTimeout(() => setArriving(false), arrivalMs);
    return () => clearTimeout(timer);
  }, [arriving]);
  useEffect(() => {
    if (!arriving) dialog.current?.querySelector<HTMLElement>("[autofocus]")?.focus({ preventScroll: true });
  }, [arriving]);
  return arriving;
}

/** Closes the sheet on the first letter that is typed before it was touched, and gives that to `opener`, a text field. */
export function giveKeysBack(dialog: HTMLDialogElement, opener: Element | null, close: () => void): void {
  if (!cameByItself.peek() || !isTextField(opener)) return;
  const openedAt = performance.now();
  const over = new AbortController();
  dialog.addEventListener("pointerdown", () => over.abort(), { signal: over.signal });
  dialog.addEventListener(
    "keydown",
    (event) => {
      const letter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (letter && (event.key !== " " || performance.now() - openedAt < unreadMs)) {
        dialog.close();
        // The key's own effect comes after this: the letter is written where it was meant to be.
        opener.focus({ preventScroll: true });
        close();
      }
      if (event.key !== "Shift" && event.key !== "Process") over.abort();
    },
    { signal: over.signal, capture: true },
  );
}
