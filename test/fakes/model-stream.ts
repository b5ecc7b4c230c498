// A scripted reply as the bytes of an event stream, and where they are cut.
import { type ModelReply, replyChunks } from "./model-reply.ts";

/** The reply as one SSE stream. */
export function framedStream(reply: ModelReply, id: string): Buffer {
  const { crlf, comments, noDone } = reply.quirks ?? {};
  const end = crlf ? "\r\n" : "\n";
  const events = replyChunks(reply, id).map((chunk) => `data: ${JSON.stringify(chunk)}${end}${end}`);
  if (!noDone) events.push(`data: [DONE]${end}${end}`);
  return Buffer.from(events.join(comments ? `: keep-alive${end}${end}` : ""), "utf8");
}

/** Offsets at which `length` bytes are cut into `pieces`: seeded, so inside characters and strings too. */
export function cutPoints(length: number, pieces: number | "bytes", seed: number): number[] {
  if (pieces === "bytes") return Array.from({ length: Math.max(0, length - 1) }, (_, at) => at + 1);
  const next = random(seed);
  const points = new Set<number>();
  for (let n = 1; n < pieces; n += 1) points.add(1 + Math.floor(next() * Math.max(1, length - 1)));
  return [...points].sort((a, b) => a - b);
}

export function splitAt(bytes: Uint8Array, points: readonly number[]): Uint8Array[] {
  return [0, ...points]
    .map((from, at) => bytes.subarray(from, points[at] ?? bytes.length))
    .filter((part) => part.length > 0);
}

/** Mulberry32: numbers from 0 to below 1, the same for the same seed. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
