// A sheet that rises from the bottom. A swipe, the back button, Escape or a tap outside closes it.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { hasKeyboard } from "../browser/screen.ts";
import { tookStepBack } from "../browser/sheet.ts";
import { Icon } from "./icon.tsx";
import { useJustCame } from "./just-came.ts";
import { giveKeysBack, useArrival } from "./sheet-arrival.ts";
import { oneLineOf } from "./shown-text.ts";

interface SheetProps {
  title: string;
  subtitle?: string | undefined;
  /** Called after the sheet has disappeared. */
  onClose(): void;
  children: ComponentChildren;
  /** The buttons at the bottom, within reach of a thumb. */
  bar?: ComponentChildren;
  /** What the question is about. If that changes, a tap that was meant for the previous question is ignored. */
  about?: string;
  /** The sheet fills the screen on phones. */
  tall?: boolean;
}

/** How many pixels a swipe must travel to close the sheet. */
const swipePx = 90;

export function Sheet({ title, subtitle, onClose, children, bar, about = "", tall = false }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = useRef(onClose);
  close.current = onClose;

  useEffect(() => {
    const element = dialog.current;
    const opener = document.activeElement;
    element?.showModal();
    if (element) giveKeysBack(element, opener, () => close.current());
    return () => {
      element?.close();
      giveFocusBack(opener);
    };
  }, []);

  const stepBack = (event: Event) => {
    event.preventDefault();
    if (!tookStepBack()) close.current();
  };
  const arriving = useArrival(dialog);
  const changed = useJustCame(about);
  const swipe = useSwipeDown(dialog, () => close.current());
  return (
    <dialog
      ref={dialog}
      class={tall ? "sheet tall" : "sheet"}
      aria-label={title}
      // Escape is handled here, because Chromium lets the second of two `cancel` events in a row close the dialog.
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.isComposing && !event.defaultPrevented) stepBack(event);
      }}
      onCancel={stepBack}
      onClick={(event) => {
        if (event.target === dialog.current && !arriving) close.current();
      }}
    >
      <div class="sheet-body" inert={arriving}>
        <header class="sheet-head" {...swipe}>
          <button type="button" class="icon-button" aria-label="Close" onClick={() => close.current()}>
            <Icon name="close" />
          </button>
          <div class="head-words">
            <h2>{oneLineOf(title)}</h2>
            {subtitle !== undefined && <p>{oneLineOf(subtitle)}</p>}
          </div>
        </header>
        <div class="sheet-scroll">{children}</div>
        {bar !== undefined && (
          <footer class="bar" inert={changed}>
            {bar}
          </footer>
        )}
      </div>
    </dialog>
  );
}

/**
 * Restores the focus, which is lost if a dialog is removed from the page while it closes. A text field is not focused
 * again if that would show the keyboard. If the opener has also been removed, the composer gets the keyboard focus.
 */
function giveFocusBack(opener: Element | null): void {
  if (document.activeElement !== document.body) return;
  const gone = opener === document.body || !opener?.isConnected;
  const next = gone ? document.querySelector(".composer textarea") : opener;
  if (!(next instanceof HTMLElement)) return;
  if (hasKeyboard.value || !(next instanceof HTMLTextAreaElement)) next.focus({ preventScroll: true });
}

/** Lets the sheet follow a finger on its head: beyond a limit it closes, otherwise it springs back. */
function useSwipeDown(dialog: { current: HTMLDialogElement | null }, close: () => void) {
  const start = useRef<number | null>(null);
  const move = (y: number) => dialog.current?.style.setProperty("--drag", `${Math.max(0, y)}px`);
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.pointerType === "touch") start.current = event.clientY;
    },
    onPointerMove: (event: PointerEvent) => {
      if (start.current !== null) move(event.clientY - start.current);
    },
    onPointerUp: (event: PointerEvent) => {
      if (start.current === null) return;
      const far = event.clientY - start.current > swipePx;
      start.current = null;
      if (far) close();
      else move(0);
    },
    onPointerCancel: () => {
      start.current = null;
      move(0);
    },
  };
}
