// Words that are longer than a title has room for: two lines of them, whole on a tap.
import type { ComponentChildren } from "preact";

/** More than two lines of a phone. */
const longChars = 84;

export function Clamped({ text, children }: { text: string; children: ComponentChildren }) {
  if (text.length <= longChars) return <span>{children}</span>;
  return (
    <details class="clamped">
      <summary>{children}</summary>
    </details>
  );
}
