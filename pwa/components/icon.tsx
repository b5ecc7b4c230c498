// The app's icons: drawn with one stroke in the colour of the text around them, and without an accessible name.

const paths = {
  back: "M15 5l-7 7 7 7",
  forward: "M9 5l7 7-7 7",
  close: "M6 6l12 12M18 6L6 18",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5L20 20",
  settings: "M4 7h9M19 7h1M16 4.5v5M4 17h1M11 17h9M8 14.5v5",
  stop: "M8 8h8v8H8z",
  up: "M12 19V5M6 11l6-6 6 6",
  delete: "M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12M10.5 10.5v5.5M13.5 10.5v5.5",
  down: "M12 5v14M6 13l6 6 6-6",
  caret: "M7 10l5 5 5-5",
  check: "M5 12.5l4.5 4.5L19 7.5",
  wrap: "M4 6h16M4 12h13a3 3 0 0 1 0 6h-4M15.5 15.5L13 18l2.5 2.5M4 18h5",
  columns: "M4 5h16v14H4zM12 5v14",
  save: "M12 4v11M7 10.5l5 5 5-5M5 20h14",
  plus: "M12 5v14M5 12h14",
  voice: "M12 15a3 3 0 0 0 3-3V6a3 3 0 0 0-6 0v6a3 3 0 0 0 3 3zM6 11.5a6 6 0 0 0 12 0M12 17.5V21",
  places: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
  more: "M5 12h.01M12 12h.01M19 12h.01",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 22 }: { name: IconName; size?: number }) {
  return <Sign path={paths[name]} size={size} />;
}

/** `path`: drawn in a box of 24 by 24 units. */
export function Sign({ path, size }: { path: string; size: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={path} />
    </svg>
  );
}

/** The logo: a rising rail on two posts. */
export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg class="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path d="M3 20.5h4L25 7.5h4" />
      <path d="M9.5 19.5V28M22.5 10V28" />
    </svg>
  );
}
