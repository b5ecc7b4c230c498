// The running hash over a turn's durable events. Client, edge and sandbox compare it to find out whether they have the
// same events. It detects accidents (a restored backup, a truncated file), not attacks, so it need not be
// cryptographic.
import type { JournalEvent } from "./event.ts";

/**
 * Hash of all events up to and including `event`, in hex; `before`: the hash of the events before it, "" if there are
 * none.
 */
export function seenAfter(before: string, { id, event, data }: JournalEvent): string {
  // Two lanes of 32 bits. The first is FNV-1a over UTF-16 units (http://www.isthe.com/chongo/tech/comp/fnv/).
  let a = before === "" ? 0x811c9dc5 : Number.parseInt(before.slice(0, 8), 16);
  let b = before === "" ? 0x9747b28c : Number.parseInt(before.slice(8), 16);
  const text = `${id} ${event} ${JSON.stringify(data)}\n`;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x5bd1e995);
    b ^= b >>> 15;
  }
  return hex(a) + hex(b);
}

/** The format of the hash that a client sends back; anything else is rejected before comparison. */
export const seenPattern = /^[0-9a-f]{16}$/;

function hex(lane: number): string {
  return (lane >>> 0).toString(16).padStart(8, "0");
}
