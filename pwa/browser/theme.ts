// The theme on the document: the system's unless a person chose one.
import type { Theme } from "../storage/settings.ts";

const papers = { light: "#faf8f3", dark: "#141512" } as const;

/** Sets the theme of the page and the colour of the browser's bars. */
export function applyTheme(theme: Theme): void {
  const root = document.documentElement;
  if (theme === "system") root.removeAttribute("data-theme");
  else root.setAttribute("data-theme", theme);
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const own = meta.media.includes("dark") ? "dark" : "light";
    meta.content = papers[theme === "system" ? own : theme];
  }
}
