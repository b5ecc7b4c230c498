// Text in the mono face that scrolls where it is long.
import type { ComponentChildren } from "preact";

export function CodeBox({ children }: { children: ComponentChildren }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
  return <pre tabIndex={0}>{children}</pre>;
}
