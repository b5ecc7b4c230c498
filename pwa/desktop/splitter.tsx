// The line between two panes: dragged or moved by arrow keys to give one more room, and a button that folds the pane away.
// What was chosen is kept on this device.
import { useRef } from "preact/hooks";
import { changeSettings, settings } from "../app/app-state.ts";
import { Icon } from "../components/icon.tsx";
import { paneLimits, paneSizes } from "./pane-sizes.ts";

const words = { list: "the list of sessions", side: "the side pane" } as const;
const stepPx = 24;

export function Splitter({ pane, folded }: { pane: "list" | "side"; folded: boolean }) {
  const from = useRef<{ x: number; px: number } | null>(null);
  const px = paneSizes(settings.value.panes)[pane];
  const { min, max } = paneLimits[pane];
  const keep = (panes: NonNullable<typeof settings.value.panes>) =>
    void changeSettings({ panes: { ...settings.value.panes, ...panes } });
  const resize = (to: number) => keep({ [pane]: Math.round(Math.min(max, Math.max(min, to))) });
  // Towards the transcript the side pane grows, and the list shrinks.
  const grows = pane === "list" ? 1 : -1;
  const toggle = () => keep({ [pane === "list" ? "listOff" : "sideOff"]: !folded });
  return (
    <div class={folded ? "splitter folded" : "splitter"}>
      {!folded && (
        // biome-ignore lint/a11y/useSemanticElements: a separator that is moved has a value, which hr has not
        <div
          class="splitter-line"
          role="separator"
          tabIndex={0}
          aria-orientation="vertical"
          aria-label={`Width of ${words[pane]}`}
          aria-valuenow={px}
          aria-valuemin={min}
          aria-valuemax={max}
          onKeyDown={(event) => {
            const by = event.key === "ArrowRight" ? stepPx : event.key === "ArrowLeft" ? -stepPx : 0;
            if (by === 0) return;
            event.preventDefault();
            resize(px + grows * by);
          }}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            from.current = { x: event.clientX, px };
          }}
          onPointerMove={(event) => {
            if (from.current !== null) resize(from.current.px + grows * (event.clientX - from.current.x));
          }}
          onPointerUp={() => {
            from.current = null;
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
