import { Icon } from "../components/icon.tsx";
import { wrapsLines } from "./code-page.ts";

/** Switches between wrapping the long lines of files and changes and scrolling them. */
export function WrapButton() {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label="Wrap long lines"
      aria-pressed={wrapsLines.value}
      onClick={() => (wrapsLines.value = !wrapsLines.value)}
    >
      <Icon name="wrap" />
    </button>
  );
}
