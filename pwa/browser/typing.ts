// Knows whether the person is typing. Meanwhile a new question waits and takes neither the focus nor a key.
import { signal } from "@preact/signals";

/** For this long after the last key, an empty field still counts as being typed in. */
const pauseMs = 1_500;
/** A tap or a key within this time was meant for the previous screen: a person cannot have read the new one yet. */
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

/** The text was sent: an empty field that kept the focus does not count as typing. */
export function sentWhatWasTyped(): void {
  typedAt = Number.NEGATIVE_INFINITY;
}

/** The visible sheet opened without a tap, and the person has not touched it yet. */
export const cameByItself = signal(false);
