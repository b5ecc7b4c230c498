// Knows whether the person is typing. A new question then waits, and takes neither the focus nor a key.
import { signal } from "@preact/signals";

/** For this long after the last key, an empty field still counts as being typed in. */
const pauseMs = 1_500;
/** A tap or key this soon was meant for the previous screen: nobody can have read the new one yet. */
export const arrivalMs = 300;

let typedAt = Number.NEGATIVE_INFINITY;
addEventListener(
  "input",
  ({ target }) => {
    // Choosing an option does not count as typing.
    if (target instanceof Element && isTextField(target)) typedAt = performance.now();
  },
  { capture: true },
);

const typedTypes = new Set(["text", "search", "url", "password", "email", "tel", "number"]);

export function isTextField(element: Element | null): element is HTMLTextAreaElement | HTMLInputElement {
  return (
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement && typedTypes.has(element.type))
  );
}

/** Returns whether the focused field holds words, or was written in a moment ago. */
export function isTyping(): boolean {
  const field = document.activeElement;
  return isTextField(field) && (field.value !== "" || performance.now() - typedAt < pauseMs);
}

/** Called when text is sent, after which an empty field with the focus does not count as typing. */
export function sentWhatWasTyped(): void {
  typedAt = Number.NEGATIVE_INFINITY;
}

/** True while the visible sheet was opened without a tap and has not been touched yet. */
export const cameByItself = signal(false);
