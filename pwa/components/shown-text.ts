// Every text on the screen passes through here, whichever component draws it: what hides in it is shown by a mark.
import { options, type VNode } from "preact";
import { visibleText } from "../../shared/visible-text.ts";

/** Attributes that are read aloud or shown. */
const spoken = ["aria-label", "title", "alt", "placeholder"];

/**
 * Preact makes a vnode for each text and calls this hook before it is drawn, so no component can forget it.
 * What a person types is left as it is, since the value of a field is not a node. Call once, before anything is drawn.
 */
export function showWhatHides(): void {
  const before = options.vnode;
  options.vnode = (vnode) => {
    before?.(vnode);
    const { type, props } = vnode;
    if (typeof type === "string") showAttributes(props);
    // Preact's types know only elements; a text's node has the text instead of properties.
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

/** A name or title on one line: tabs, line ends and spaces at its edges are marked too. To be drawn once. */
export function oneLineOf(text: string): object {
  // A String object: Preact renders it as text, and it differs from a string that is still unchecked.
  return Object(visibleText(text, "line"));
}
