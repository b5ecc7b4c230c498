// The line between two panes: dragged or moved by arrow keys to resize them, with a button that folds the pane away.
// The widths are stored on this device.
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { changeSettings, settings } from "../app/app-state.ts";
import { Icon } from "../components/icon.tsx";
import "../styles/splitter.css";

const words = { list: "the list of sessions", side: "the side pane" } as const;
const stepPx = 24;
/** Widths in CSS pixels; `panes.css` limits them if the window is too narrow. */
const limits = { list: { min: 220, max: 480 }, side: { min: 300, max: 1_100 } } as const;

export function Splitter({ pane, folded }: { pane: "list" | "side"; folded: boolean }) {
  const from = useRef<{ x: number; px: number; moved: boolean } | null>(null);
  const place = useRef<HTMLDivElement>(null);
  const { panes } = settings.value;
  const { min, max } = limits[pane];
  /** The width on the screen, which is smaller than the chosen one in a narrow window. */
  const px = useSignal<number>(min);
  const measure = () => {
    const at = place.current?.getBoundingClientRect();
    if (at) px.value = Math.round(pane === "list" ? at.left : innerWidth - at.right);
    return px.value;
  };
  useLayoutEffect(() => void measure(), [panes]);
  useEffect(() => {
    addEventListener("resize", measure);
    return () => removeEventListener("resize", measure);
  }, []);
  const sized = (to: number) => ({
    panes: { ...settings.value.panes, [pane]: Math.round(Math.min(max, Math.max(min, to))) },
  });
  // Moving the line towards the transcript makes the side pane wider and the list narrower.
  const grows = pane === "list" ? 1 : -1;
  const toggle = () =>
    void changeSettings({
      panes: { ...settings.value.panes, [pane === "list" ? "listOff" : "sideOff"]: !folded },
    });
  return (
    <div ref={place} class={folded ? "splitter folded" : "splitter"}>
      {!folded && (
        // biome-ignore lint/a11y/useSemanticElements: a separator that can be moved has a value, and hr has none
        <div
          class="splitter-line"
          role="separator"
          tabIndex={0}
          aria-orientation="vertical"
          aria-label={`Width of ${words[pane]}`}
          aria-valuenow={px.value}
          aria-valuemin={min}
          aria-valuemax={max}
          onKeyDown={(event) => {
            const by = event.key === "ArrowRight" ? stepPx : event.key === "ArrowLeft" ? -stepPx : 0;
            if (by === 0) return;
            event.preventDefault();
            void changeSettings(sized(measure() + grows * by));
          }}
          onPointerDown={(event) => {
            // Otherwise dragging would select the text next to the line.
            event.preventDefault();
            event.currentTarget.focus();
            event.currentTarget.setPointerCapture(event.pointerId);
            from.current = { x: event.clientX, px: measure(), moved: false };
          }}
          onPointerMove={(event) => {
            if (from.current === null) return;
            const by = event.clientX - from.current.x;
            if (by === 0 && !from.current.moved) return;
            from.current.moved = true;
            const to = from.current.px + grows * by;
            settings.value = { ...settings.value, ...sized(to) };
          }}
          onLostPointerCapture={() => {
            // A click alone does not choose a width, so a pane that follows the window continues to do so.
            const moved = from.current?.moved === true;
            from.current = null;
            if (moved) void changeSettings(sized(measure()));
          }}
          onDblClick={toggle}
        />
      )}
      <button
        type="button"
        class="splitter-fold"
        aria-label={`${folded ? "Show" : "Hide"} ${words[pane]}`}
        aria-expanded={!folded}
        onClick={toggle}
      >
        <Icon name={(pane === "list") === folded ? "forward" : "back"} size={14} />
      </button>
    </div>
  );
}
