// A page on its own, or one beside a session's page, which is then the main one.
import type { ComponentChildren } from "preact";

interface PaneProps {
  beside: boolean;
  /** Its accessible name if it is not the main page. */
  name: string;
  hidden?: boolean;
  children: ComponentChildren;
}

export function Pane({ beside, name, hidden = false, children }: PaneProps) {
  return beside ? (
    <aside class="page beside" aria-label={name} hidden={hidden}>
      {children}
    </aside>
  ) : (
    <main class="page" hidden={hidden}>
      {children}
    </main>
  );
}
