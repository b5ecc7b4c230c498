// The rows of a menu, in groups, each with an icon in front.
import "../styles/menus.css";
import type { ComponentChildren } from "preact";
import { Sign } from "./icon.tsx";

const paths = {
  allowed: "M12 4l7 3v5c0 4-3 7-7 8-4-1-7-4-7-8V7zM9 12l2.2 2.2L15.5 10",
  archive: "M4 5h16v4H4zM6 9v10h12V9M10 13h4",
  ask: "M12 17h.01M9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1 1-1.1 1.8M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
  auto: "M13 4L6 13h5l-1 7 7-9h-5z",
  changes: "M12 5v8M8 9h8M8 18h8",
  copy: "M9 9h10v11H9zM15 9V4H5v11h4",
  delete: "M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12M10.5 10.5v5.5M13.5 10.5v5.5",
  export: "M12 15V4M7.5 8.5L12 4l4.5 4.5M5 20h14",
  files: "M6 4h8l4 4v12H6zM14 4v4h4",
  model: "M8 8h8v8H8zM12 4v4M12 16v4M4 12h4M16 12h4",
  normal: "M5 12h14M13 6l6 6-6 6",
  plan: "M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01",
  pull: "M6 8v8M18 16v-5c0-3-2-4-5-4h-2M13 4l-3 3 3 3M6 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM6 20a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM18 20a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  stop: "M7 7h10v10H7z",
  worktree:
    "M7 8v8M7 13c5 0 9-1 9-5M7 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM16 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7 20a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  undo: "M9 8H5V4M5 8c2-3 5-4 8-4a8 8 0 1 1-7.5 11",
} as const;

export type MenuIcon = keyof typeof paths;

export function MenuGroup({ title, children }: { title?: string; children: ComponentChildren }) {
  return (
    <section class="menu-group">
      {title !== undefined && <h3>{title}</h3>}
      <div class="menu-rows">{children}</div>
    </section>
  );
}

export function MenuSign({ icon }: { icon: MenuIcon }) {
  return <Sign path={paths[icon]} size={20} />;
}

interface MenuRowProps {
  icon: MenuIcon;
  title: ComponentChildren;
  words?: ComponentChildren;
  /** The action deletes or removes something. */
  bad?: boolean;
  /** The row is the selected one of several. */
  chosen?: boolean;
  onPick(): void;
}

export function MenuRow({ icon, title, words, bad = false, chosen, onPick }: MenuRowProps) {
  return (
    <button type="button" class={bad ? "menu-row bad" : "menu-row"} aria-pressed={chosen} onClick={onPick}>
      <MenuSign icon={icon} />
      <span class="menu-words">
        <b>{title}</b>
        {words !== undefined && <span class="muted">{words}</span>}
      </span>
      {chosen === true && <span aria-hidden="true">✓</span>}
    </button>
  );
}
