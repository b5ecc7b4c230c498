// A page without a browser: just enough of a document for Preact to draw components into it, for tests of what they
// show.
import { options, render, type VNode } from "preact";
import { vi } from "vitest";
import { showWhatHides } from "../../../pwa/components/shown-text.ts";

/** Attributes that are read aloud or shown. */
const spoken = ["aria-label", "title", "alt", "placeholder"];
/** Here line ends and tabs keep their meaning. */
const preformatted = new Set(["pre", "textarea"]);

class PageNode extends EventTarget {
  parentNode: PageNode | null = null;
  readonly childNodes: PageNode[] = [];
  readonly attributes = new Map<string, unknown>();
  readonly style = { setProperty: () => undefined };
  constructor(
    readonly nodeType: 1 | 3,
    readonly localName = "",
    public data = "",
  ) {
    super();
  }
  get firstChild(): PageNode | null {
    return this.childNodes[0] ?? null;
  }
  get nextSibling(): PageNode | null {
    const all = this.parentNode?.childNodes ?? [];
    return all[all.indexOf(this) + 1] ?? null;
  }
  get text(): string {
    return [...this.all()].map(({ data }) => String(data)).join("");
  }
  insertBefore(node: PageNode, before: PageNode | null): void {
    node.remove();
    const at = before === null ? this.childNodes.length : this.childNodes.indexOf(before);
    this.childNodes.splice(at, 0, node);
    node.parentNode = this;
  }
  remove(): void {
    const all = this.parentNode?.childNodes ?? [];
    if (all.includes(this)) all.splice(all.indexOf(this), 1);
    this.parentNode = null;
  }
  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name, value);
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }
  /** Effects of components call these; none of them changes what is drawn. */
  showModal(): void {}
  close(): void {}
  focus(): void {}
  scrollIntoView(): void {}
  querySelector(): null {
    return null;
  }
  *all(): Generator<PageNode> {
    yield this;
    for (const child of this.childNodes) yield* child.all();
  }
}

const media = { matches: false, addEventListener: () => undefined };
const silent = { addEventListener: () => undefined, removeEventListener: () => undefined };

const pageEvents = new EventTarget();
/** Presses a key with Ctrl. */
export function pressWithCtrl(key: string): void {
  pageEvents.dispatchEvent(Object.assign(new Event("keydown"), { key, ctrlKey: true }));
}

/** What modules of the app expect of a browser when they are loaded and drawn. */
const browser = {
  ...silent,
  addEventListener: pageEvents.addEventListener.bind(pageEvents),
  document: {
    ...silent,
    createElementNS: (_namespace: string, name: string) => new PageNode(1, name),
    createTextNode: (text: unknown) => new PageNode(3, "", String(text)),
    querySelector: () => null,
    visibilityState: "visible",
  },
  window: { ...silent },
  location: { hash: "", pathname: "/", search: "" },
  navigator: { userAgent: "", onLine: true },
  history: { state: null, pushState: () => undefined },
  matchMedia: () => media,
  CSS: { supports: () => true },
  BroadcastChannel: EventTarget,
  HTMLElement: PageNode,
  IntersectionObserver: class {
    observe(): void {}
    disconnect(): void {}
  },
};

/** Call before the app's modules are imported; the result undoes it. */
export function openPage(): () => void {
  for (const [name, value] of Object.entries(browser)) vi.stubGlobal(name, value);
  const before = { ...options };
  showWhatHides();
  // Effects run at once, and none is left when the test ends.
  options.requestAnimationFrame = queueMicrotask;
  return () => {
    delete options.vnode;
    delete options.requestAnimationFrame;
    Object.assign(options, before);
    vi.unstubAllGlobals();
  };
}

export interface Drawn {
  /** The texts outside of preformatted ones, each as one node of the page. */
  lines: string[];
  /** Preformatted texts and spoken attributes. */
  others: string[];
  /** What input fields contain. */
  fields: string[];
}

/** The server answers all requests with `answer`; `tap`: the text of what is tapped; then `until` is awaited. */
export interface Step {
  answer?: object;
  tap?: string;
  does?(): void;
  until: string;
}

/** Draws `what`, carries out the steps, and says what the page then shows. */
export async function drawn<P>(what: VNode<P>, steps: readonly Step[] = []): Promise<Drawn> {
  const root = new PageNode(1, "body");
  const page = Object(root);
  if (steps[0]?.answer) vi.stubGlobal("fetch", async () => Response.json(steps[0]?.answer));
  render(what, page);
  // Steps follow the effects of the first drawing.
  if (steps.length > 0) await new Promise(setImmediate);
  for (const step of steps) {
    step.does?.();
    if (step.tap !== undefined) tap(root, step.tap);
    await vi.waitFor(() => {
      if (!root.text.includes(step.until)) throw new Error(`not drawn: ${step.until} in ${root.text}`);
    });
  }
  const texts = [...root.all()].filter(({ nodeType }) => nodeType === 3);
  const isPreformatted = (node: PageNode | null): boolean =>
    node !== null && (preformatted.has(node.localName) || isPreformatted(node.parentNode));
  const lines = texts.filter((node) => !isPreformatted(node)).map(({ data }) => String(data));
  const attributes = [...root.all()].flatMap((node) =>
    spoken.flatMap((name) => node.attributes.get(name) ?? []),
  );
  const fields = [...root.all()].filter(({ localName }) => /^(input|textarea)$/.test(localName));
  const values = fields.map(({ attributes }) => String(attributes.get("value") ?? ""));
  render(null, page);
  await Promise.resolve();
  return {
    fields: values,
    lines,
    others: [...texts.filter(isPreformatted).map(({ data }) => String(data)), ...attributes.map(String)],
  };
}

/** The innermost element with this text is tapped. */
function tap(root: PageNode, text: string): void {
  const tapped = [...root.all()].findLast((node) => node.nodeType === 1 && node.text.includes(text));
  for (let node: PageNode | null = tapped ?? null; node !== null; node = node.parentNode)
    node.dispatchEvent(new Event("click"));
}
