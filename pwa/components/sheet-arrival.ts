// Protects a person who is typing or tapping from a sheet that opens by itself: it ignores taps for a moment and does
// not take the focus at once.
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { arrivalMs, cameByItself, isTextField } from "../browser/typing.ts";

/** A Space or a digit within this time was typed for the text field, not for the sheet. */
const unreadMs = 1_000;

/** Whether the sheet should be `inert` at the moment. */
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

/**
 * Closes the sheet and returns the focus to the text field `opener` if a letter is typed before the sheet was touched.
 */
export function giveKeysBack(dialog: HTMLDialogElement, opener: Element | null, close: () => void): void {
  if (!cameByItself.peek() || !isTextField(opener)) return;
  const openedAt = performance.now();
  const over = new AbortController();
  dialog.addEventListener("pointerdown", () => over.abort(), { signal: over.signal });
  dialog.addEventListener(
    "keydown",
    (event) => {
      const letter = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (letter && (!/^[ 1-9]$/.test(event.key) || performance.now() - openedAt < unreadMs)) {
        dialog.close();
        // The browser inserts the letter after this handler, so it goes into the text field.
        opener.focus({ preventScroll: true });
        close();
      }
      if (event.key !== "Shift" && event.key !== "Process") over.abort();
    },
    { signal: over.signal, capture: true },
  );
}
