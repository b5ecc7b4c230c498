// Tracks whether everything that the person is asked to allow has been on the screen, from beginning to end.
import { signal } from "@preact/signals";
import type { OpenSession } from "./open-session.ts";

interface Seen {
  /** From `askedKey`: the permission whose `start` and `end` were seen or not. */
  key: string;
  start: boolean;
  end: boolean;
}

/** How much of the newest permission was on the screen. */
export const seenCommand = signal<Seen>({ key: "", start: false, end: false });

/** After "Show the rest", this many pixels of the previous screen stay visible, about two lines. */
const overlapPx = 48;

/** A key made of everything that is decided about, because a model may use the id of a call twice. */
export function askedKey(
  session: OpenSession,
  asked: { toolCallId: string; arguments: string; why: string; commands?: readonly string[] | undefined },
): string {
  const { toolCallId, arguments: json, why, commands = [] } = asked;
  return JSON.stringify([session.record.value.id, toolCallId, json, why, commands]);
}

/** The end counts only after the beginning was seen: the person has not read the part above it. */
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
