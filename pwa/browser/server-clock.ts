// The server's clock: events carry its time, and this device's clock may be minutes off.

/** How far the server's clock is ahead of this device's, in milliseconds; undefined until an answer was dated. */
let aheadMs: number | undefined;

/** A `Date` header is in whole seconds. */
const roundedMs = 1_000;

/** Reads the `Date` of the first answer. Any time between `sentAt` and `now` counts as no difference. */
export function noteServerTime(header: string | null, sentAt: number, now = Date.now()): void {
  const at = Date.parse(header ?? "");
  if (aheadMs !== undefined || Number.isNaN(at)) return;
  aheadMs = at > now ? at - now : Math.min(0, at + roundedMs - sentAt);
}

/** The time of the server's clock. */
export function serverNow(): number {
  return Date.now() + (aheadMs ?? 0);
}
