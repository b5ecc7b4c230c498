// Whether a person has had what they are asked to allow on the screen, from its beginning to its end.
import { signal } from "@preact/signals";
import type { OpenSession } from "./open-session.ts";

interface Seen {
  /** The parts already seen, named by `askedKey`. */
  key: string;
  start: boolean;
  end: boolean;
}

/** How much of the newest permission was on the screen. */
export const seenCommand = signal<Seen>({ key: "", start: false, end: false });

/** After "Show the rest", this much of the former screen stays visible, in pixels: about two lines. */
const overlapPx = 48;

/** Names a permission by all that is decided: a model may use the id of a call twice. */
export function askedKey(
  session: OpenSession,
  asked: { toolCallId: string; arguments: string; commands?: readonly string[] | undefined },
): string {
  return JSON.stringify([session.record.value.id, asked.toolCallId, asked.arguments, asked.commands ?? []]);
}

/** The end counts only after the beginning was seen: scrolling up past the end has shown nothing. */
export function sawCommand(key: string, now: { start: boolean; end: boolean }): void {
  const before = seenCommand.peek();
  const known = before.key === key ? before : { key, start: false, end: false };
  const start = known.start || now.start;
  seenCommand.value = { key, start, end: known.end || (start && now.end) };
}

/** Scrolls to the beginning if that was not seen yet, otherwise to the next page. */
export function showRest(key: string): void {
  const end = document.querySelector(".asked-card .asked-end");
  const box = end?.closest(".asked-card");
  if (!end || !box) return;
  const { key: known, start } = seenCommand.peek();
  if (known !== key || !start) {
    box.querySelector(".asked-start")?.scrollIntoView({ block: "start" });
    return;
  }
  const below = end.getBoundingClientRect().bottom - box.getBoundingClientRect().bottom;
  box.scrollBy(0, Math.min(Math.ceil(below) + 2, box.clientHeight - overlapPx));
}
