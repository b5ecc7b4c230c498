// Every text on the screen passes through here, whichever component draws it, so that marks show its invisible
// characters.
import { options, type VNode } from "preact";
import { visibleText } from "../../shared/visible-text.ts";

/** Attributes that are read aloud or shown. */
const spoken = ["aria-label", "title", "alt", "placeholder"];

/**
 * Preact creates a vnode for each text and calls this hook before drawing it, so no component can forget it. The
 * contents of input fields are not vnodes and do not change. Call once, before anything is drawn.
 */
export function showWhatHides(): void {
  const before = options.vnode;
  options.vnode = (vnode) => {
    before?.(vnode);
    const { type, props } = vnode;
    if (typeof type === "string") showAttributes(props);
    // Preact's types know only elements; the vnode of a text has the text in place of properties.
    else if (type === null) showText(vnode, props);
  };
}

function showText(vnode: VNode, text: unknown): void {
  if (typeof text === "string") Object.assign(vnode, { props: visibleText(text) });
  else if (text instanceof String) Object.assign(vnode, { props: text.valueOf() });
}

function showAttributes(props: Record<string, unknown>): void {
  for (const name of spoken) {
    const text = props[name];
    if (typeof text === "string") props[name] = visibleText(text);
  }
}

/**
 * A name or title on one line, in which tabs, line ends and spaces at the edges are marked too. The result can be drawn
 * only once.
 */
export function oneLineOf(text: string): object {
  // A String object: Preact renders it as text, and it can be told from a string that has not been checked.
  return Object(visibleText(text, "line"));
}
