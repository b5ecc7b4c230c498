// A scrolling box: either it follows its end, or the text being read stays in place, whatever happens above it. The
// browser's own scroll anchoring is off: not every browser has it, and both together would scroll twice.

/** This close to the end counts as being at the end, in pixels. */
const nearEndPx = 60;

export class ScrollBox {
  follows = true;
  /** The row that is being read and its distance from the box's upper edge, in pixels. */
  anchor: { element: Element; top: number } | undefined;
  #lastTop = 0;

  /** `content` grows inside `box`; its children of class "row" are what can be read. */
  constructor(
    readonly box: HTMLElement,
    readonly content: HTMLElement,
  ) {}

  rows(): Element[] {
    return [...this.content.children].filter((child) => child.classList.contains("row"));
  }

  /** Remembers the first visible row as the one being read. */
  look(): void {
    const edge = this.box.getBoundingClientRect().top;
    const element = this.rows().find((row) => row.getBoundingClientRect().bottom > edge);
    if (element !== undefined) this.anchor = { element, top: element.getBoundingClientRect().top - edge };
  }

  /** Restores the scroll position after the content changed. */
  settle(): void {
    if (this.follows) this.box.scrollTop = this.box.scrollHeight;
    else if (this.anchor?.element.isConnected === true) {
      const top = this.anchor.element.getBoundingClientRect().top - this.box.getBoundingClientRect().top;
      if (Math.abs(top - this.anchor.top) >= 1) this.box.scrollTop += top - this.anchor.top;
    }
  }

  /** Stops following. False if there is nothing to scroll, or it had stopped already. */
  stop(): boolean {
    if (!this.follows || this.box.scrollHeight <= this.box.clientHeight) return false;
    this.follows = false;
    this.look();
    return true;
  }

  above(): number {
    return this.box.scrollTop;
  }

  below(): number {
    return this.box.scrollHeight - this.box.scrollTop - this.box.clientHeight;
  }

  /** Call after a scroll. Whether it reached the end. */
  moved(): boolean {
    const came = this.below() < nearEndPx && this.box.scrollTop > this.#lastTop;
    this.#lastTop = this.box.scrollTop;
    return came;
  }

  isNearEnd(): boolean {
    return this.below() < nearEndPx;
  }

  /**
   * Calls `onUp` when a person moves up. Only their own movement tells: positions alone cannot, since text that
   * gives way to other text moves them as well.
   */
  listen(signal: AbortSignal, onUp: () => void, onScroll: () => void, onResize: () => void): void {
    const { box } = this;
    const on = (name: string, handler: (event: Event) => void) =>
      box.addEventListener(name, handler, { passive: true, signal });
    let lastY = 0;
    on("wheel", (event) => event instanceof WheelEvent && event.deltaY < 0 && onUp());
    on("touchstart", (event) => {
      lastY = touchY(event);
    });
    on("touchmove", (event) => {
      const y = touchY(event);
      if (y > lastY) onUp();
      lastY = y;
    });
    // On the scrollbar the box itself is the target.
    on("pointerdown", (event) => event.target === box && onUp());
    on("keydown", (event) => {
      if (event instanceof KeyboardEvent && ["ArrowUp", "PageUp", "Home"].includes(event.key)) onUp();
    });
    on("scroll", onScroll);
    const observer = new ResizeObserver(onResize);
    observer.observe(this.content);
    observer.observe(box);
    signal.addEventListener("abort", () => observer.disconnect());
  }
}

function touchY(event: Event): number {
  return event instanceof TouchEvent ? (event.touches[0]?.clientY ?? 0) : 0;
}
