// Long histories (PROTOCOL 3.1): reading a history with a marker, which replaces messages that are no longer posted.
// Pure. A history after a marker reads the same whether it was posted whole or as its tail. `make-marker.ts` makes markers.
import * as z from "zod/mini";
import type { Message } from "../../shared/message.ts";
import { historyForTurn, isMarker } from "../../shared/session/history.ts";
import { byteLength } from "../calls/result-text.ts";
import { Carried, nothingCarried } from "../context/carried.ts";
import * as limits from "../limits.ts";

/**
 * A history as the engine works with it: `messages` from the last marker on; `carried` is what is kept of the messages
 * before it.
 */
export interface CutHistory {
  messages: Message[];
  carried: Carried;
}

/** Gives the same for a history posted whole and for its tail. One without a marker of ours stays as it is. */
export function cutToMarker(posted: readonly Message[]): CutHistory {
  const carried = z.safeParse(Carried, posted.findLast(isMarker)?.extra.event.data);
  if (!carried.success) return { messages: [...posted], carried: nothingCarried };
  const messages = historyForTurn(posted);
  const there = new Set(messages.map(({ id }) => id));
  const kept = carried.data.kept.filter(({ id }) => !there.has(id));
  messages.splice(messages.findLastIndex(isMarker), 0, ...kept);
  return { messages, carried: carried.data };
}

/** The most bytes of UTF-8 for one unit of UTF-16. */
const maxBytesPerChar = 3;

/** Whether a marker is due: the history, or what follows the last marker, has passed its limit. */
export function needsMarker(messages: readonly Message[]): boolean {
  const marker = messages.findLastIndex(isMarker);
  const maxBytes = marker < 0 ? limits.longHistoryBytes : limits.longTailBytes;
  const text = JSON.stringify(messages.slice(marker + 1));
  return text.length * maxBytesPerChar > maxBytes && byteLength(text) > maxBytes;
}
