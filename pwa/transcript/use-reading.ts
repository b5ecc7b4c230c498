// Scrolls a transcript, mounts only the rows near the visible part, and returns to the place where the person left.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { atEnd, grownDown, grownUp, type RowWindow, sliceOf, windowAround } from "./row-window.ts";
import type { Row } from "./rows.ts";
import { ScrollBox } from "./scroll-box.ts";

/** More rows are mounted at this distance, in pixels, before they become visible: about one flick. */
const aheadPx = 1500;
/** How far below the upper edge a row is shown after a jump, in pixels. */
const jumpTopPx = 12;

interface ReadingPlace {
  view: RowWindow;
  key: string;
  top: number;
}

/** By session: the place at which the person left it. It is lost when the page is closed. */
const places = new Map<string, ReadingPlace>();

/**
 * `rows` are all known rows; `showEarlier` loads more if there are any. The caller renders `rows.slice(start, end)`.
 */
export function useReading(id: string, rows: readonly Row[], showEarlier: (() => Promise<void>) | undefined) {
  const boxRef = useRef<HTMLDivElement>(null);
  const contentRef = useRef<HTMLDivElement>(null);
  const scroll = useRef<ScrollBox | undefined>(undefined);
  const left = useRef(places.get(id));
  const view = useSignal<RowWindow>(left.current?.view ?? atEnd);
  const away = useSignal(left.current !== undefined);
  const goTo = useRef(left.current);
  const loading = useRef(false);
  const { start, end } = sliceOf(rows, view.value);
  const now = useRef({ rows, showEarlier, start });
  now.current = { rows, showEarlier, start };

  const mountMore = () => {
    const at = scroll.current;
    if (at === undefined) return;
    const { rows: all, showEarlier: earlier } = now.current;
    if (at.below() < aheadPx) view.value = grownDown(all, view.value);
    // While the end is followed, no rows are added above: a session opens with enough of them.
    if (at.above() >= aheadPx || (at.follows && at.above() > 0)) return;
    const grown = grownUp(all, view.value);
    if (grown !== view.value) view.value = grown;
    else if (earlier !== undefined && !loading.current) {
      loading.current = true;
      view.value = { ...view.value, first: all[0]?.key ?? null };
      void earlier().finally(() => {
        loading.current = false;
      });
    }
  };

  useLayoutEffect(() => {
    if (boxRef.current === null || contentRef.current === null) return undefined;
    const over = new AbortController();
    const at = new ScrollBox(boxRef.current, contentRef.current);
    scroll.current = at;
    at.follows = left.current === undefined;
    const judge = () => {
      away.value = !at.follows && !(at.isNearEnd() && view.value.last === null);
      mountMore();
    };
    const onUp = () => {
      if (!at.stop()) return;
      // From here on, new rows at the end no longer remove rows at the beginning.
      view.value = { ...view.value, first: now.current.rows[now.current.start]?.key ?? null };
    };
    const onScroll = () => {
      const came = at.moved();
      if (came && view.value.last === null && !at.follows) {
        at.follows = true;
        view.value = atEnd;
      }
      if (!at.follows) at.look();
      judge();
    };
    const onResize = () => {
      at.settle();
      judge();
    };
    at.listen(over.signal, onUp, onScroll, onResize);
    return () => {
      over.abort();
      const element = at.anchor?.element;
      const key =
        element === undefined
          ? undefined
          : now.current.rows[now.current.start + at.rows().indexOf(element)]?.key;
      if (at.follows || key === undefined) places.delete(id);
      else places.set(id, { view: view.peek(), key, top: at.anchor?.top ?? 0 });
    };
  }, [id]);

  // After every rendering: scrolls to the requested row if there is one, otherwise to its position before.
  useLayoutEffect(() => {
    const at = scroll.current;
    if (at === undefined) return;
    const to = goTo.current;
    goTo.current = undefined;
    const element = to && at.rows()[rows.findIndex(({ key }) => key === to.key) - start];
    if (to !== undefined && element !== undefined) at.anchor = { element, top: to.top };
    at.settle();
  });

  return {
    box: boxRef,
    content: contentRef,
    start,
    end,
    /** True if there are new rows outside the visible part. */
    away,
    toEnd() {
      if (scroll.current !== undefined) scroll.current.follows = true;
      away.value = false;
      view.value = { ...atEnd };
      scroll.current?.settle();
    },
    /** Scrolls the row at `index` of the newest `rows` to the top. */
    toRow(index: number) {
      const key = now.current.rows[index]?.key;
      if (key === undefined || scroll.current === undefined) return;
      scroll.current.follows = false;
      away.value = true;
      goTo.current = { view: view.value, key, top: jumpTopPx };
      view.value = windowAround(now.current.rows, index);
    },
  };
}
