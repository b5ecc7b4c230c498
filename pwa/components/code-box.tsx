// Monospaced text that scrolls if it is long, with a button that copies it.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

export function CodeBox({ children }: { children: ComponentChildren }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
  return <pre tabIndex={0}>{children}</pre>;
}

const saidForMs = 2_000;

export function Copy({ text }: { text: string }) {
  const words = useSignal("Copy");
  return (
    <button
      type="button"
      class="text-button copy"
      onClick={() => {
        void copied(text).then((done) => {
          words.value = done ? "Copied" : "Not copied";
          setTimeout(() => (words.value = "Copy"), saidForMs);
        });
      }}
    >
      {words.value}
    </button>
  );
}

/** The clipboard API is missing on plain http; copying from a text field works there too. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
