// The bar at the top of a page: a back button, the title with one line below it, and actions on the right.
import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";
import { oneLineOf } from "./shown-text.ts";

interface HeaderProps {
  title: string;
  subtitle?: ComponentChildren;
  /** Absent = no back button, because the list is shown beside this page. */
  onBack?: (() => void) | undefined;
  onTitle?: (() => void) | undefined;
  children?: ComponentChildren;
}

export function Header({ title, subtitle, onBack, onTitle, children }: HeaderProps) {
  return (
    <header class={onBack === undefined ? "page-head first" : "page-head"}>
      {onBack !== undefined && (
        <button type="button" class="icon-button" aria-label="Back" onClick={onBack}>
          <Icon name="back" />
        </button>
      )}
      <div class="head-words">
        <h1>{oneLineOf(title)}</h1>
        {subtitle !== undefined && <p>{subtitle}</p>}
        {onTitle !== undefined && (
          <button type="button" class="cover" aria-label="More about this session" onClick={onTitle} />
        )}
      </div>
      {children}
    </header>
  );
}
