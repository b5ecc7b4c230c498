// A page of its own, or beside a session's, which is then the main one.
import type { ComponentChildren } from "preact";

interface PaneProps {
  beside: boolean;
  /** What it is called where it is not the main one. */
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
