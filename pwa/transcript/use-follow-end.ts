// Keeps a scrolling box at its end while it grows, until a person scrolls up; never moves what is being read.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

/** This close to the end counts as being at the end, in pixels. */
const nearEndPx = 60;

/**
 * `box` scrolls, `content` grows inside it. Only a person's own movement upwards ends the following:
 * positions alone cannot tell, since text that gives way to other text moves them as well.
 */
export function useFollowEnd() {
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const away = useSignal(false);

  useLayoutEffect(() => {
    const element = box.current;
    const inner = content.current;
    if (element === null || inner === null) return undefined;
    const over = new AbortController();
    const listen = (name: string, handler: (event: Event) => void) =>
      element.addEventListener(name, handler, { passive: true, signal: over.signal });
    let lastTop = element.scrollTop;
    let lastY = 0;
    const stop = () => {
      if (element.scrollHeight > element.clientHeight) follows.current = false;
    };
    listen("wheel", (event) => event instanceof WheelEvent && event.deltaY < 0 && stop());
    listen("touchstart", (event) => {
      lastY = touchY(event);
    });
    listen("touchmove", (event) => {
      const y = touchY(event);
      if (y > lastY) stop();
      lastY = y;
    });
    // On the scrollbar the box itself is the target.
    listen("pointerdown", (event) => event.target === element && stop());
    listen("keydown", (event) => {
      if (event instanceof KeyboardEvent && ["ArrowUp", "PageUp", "Home"].includes(event.key)) stop();
    });
    listen("scroll", () => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      const near = scrollHeight - scrollTop - clientHeight < nearEndPx;
      if (near && scrollTop > lastTop) follows.current = true;
      lastTop = scrollTop;
      away.value = !near && !follows.current;
    });
    const observer = new ResizeObserver(() => {
      if (follows.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(inner);
    observer.observe(element);
    return () => {
      over.abort();
      observer.disconnect();
    };
  }, []);

  return {
    box,
    content,
    /** True where what is new is out of sight. */
    away,
    toEnd() {
      follows.current = true;
      away.value = false;
      box.current?.scrollTo({ top: box.current.scrollHeight, behavior: "smooth" });
    },
    /** Runs `grow`, which adds above, and leaves on its place what is being read. */
    async growAbove(grow: () => Promise<void>) {
      const element = box.current;
      const below = element === null ? 0 : element.scrollHeight - element.scrollTop;
      follows.current = false;
      await grow();
      requestAnimationFrame(() => {
        if (element !== null) element.scrollTop = element.scrollHeight - below;
      });
    },
  };
}

function touchY(event: Event): number {
  return event instanceof TouchEvent ? (event.touches[0]?.clientY ?? 0) : 0;
}
