// A scrolling box that either follows its end or keeps the text being read in place, even if something changes above
// it. The browser's own scroll anchoring is off: some browsers lack it, and both together would scroll twice.

/** This many pixels from the end count as being at the end. */
const nearEndPx = 60;

export class ScrollBox {
  follows = true;
  /** The row that is being read, and its distance from the box's upper edge in pixels. */
  anchor: { element: Element; top: number } | undefined;
  #lastTop = 0;

  /** `content` grows inside `box`; the rows are its children of class "row". */
  constructor(
    readonly box: HTMLElement,
    readonly content: HTMLElement,
  ) {}

  rows(): Element[] {
    return [...this.content.children].filter((child) => child.classList.contains("row"));
  }

  /** Remembers the first visible row as the one that is being read. */
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

  /** Stops following. Returns false if there is nothing to scroll, or if it had already stopped. */
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

  /** To be called after a scroll. Returns whether it reached the end. */
  moved(): boolean {
    const came = this.below() < nearEndPx && this.box.scrollTop > this.#lastTop;
    this.#lastTop = this.box.scrollTop;
    return came;
  }

  isNearEnd(): boolean {
    return this.below() < nearEndPx;
  }

  /**
   * Calls `onUp` when a person scrolls up. Their movement has to be detected: scroll positions do not tell, since they
   * also change when text above is replaced.
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
    // A drag on the scrollbar has the box itself as its target.
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
