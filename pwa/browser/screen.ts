// The screen: its colours, how wide it is, whether there is a keyboard, and how much of it the on-screen keyboard
// leaves.
import { signal } from "@preact/signals";
import type { Theme } from "../storage/settings.ts";

function query(media: string) {
  const list = matchMedia(media);
  const matches = signal(list.matches);
  list.addEventListener("change", () => {
    matches.value = list.matches;
  });
  return matches;
}

/** Devices with a mouse are assumed to have a keyboard: there, Enter sends and Shift+Tab works. */
export const hasKeyboard = query("(pointer: fine)");
export const isWide = query("(min-width: 900px)");
/** From this width there is room for the changes beside a session. */
export const hasThirdPane = query("(min-width: 1280px)");

/** Below this height, in CSS pixels, there is no space for header, transcript and the whole bar. */
const lowPx = 420;

/** Keeps `--app-height` equal to the visible height, so that the keyboard never covers the bottom of the page. */
export function followViewport(): void {
  const viewport = window.visualViewport;
  if (viewport === null || viewport === undefined) return;
  const update = () => {
    const { classList, style } = document.documentElement;
    // If a person zooms in with two fingers, less of the page is visible, but its height must not change.
    const height = viewport.height * viewport.scale;
    style.setProperty("--app-height", `${height}px`);
    classList.toggle("low", height < lowPx);
    if (viewport.offsetTop > 0 && viewport.scale <= 1.01) window.scrollTo(0, 0);
  };
  viewport.addEventListener("resize", update);
  viewport.addEventListener("scroll", update);
  update();
}

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
