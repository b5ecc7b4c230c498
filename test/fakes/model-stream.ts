// A scripted reply as the bytes of an event stream, and the places at which they are cut.
import { messagesEvents, messagesWhole } from "./messages-stream.ts";
import { type ModelReply, replyBody, replyChunks } from "./model-reply.ts";
import { responsesEvents, responsesWhole } from "./responses-stream.ts";

/** The last part of the path: which of the three APIs is requested. */
export type FakeWire = "completions" | "responses" | "messages";

const events = { completions: replyChunks, responses: responsesEvents, messages: messagesEvents };
const wholes = { completions: replyBody, responses: responsesWhole, messages: messagesWhole };

/** The reply as one JSON body. */
export function wholeReply(reply: ModelReply, id: string, wire: FakeWire, model: string): unknown {
  return wholes[wire](reply, id, model);
}

/** The reply as one SSE stream. */
export function framedStream(
  reply: ModelReply,
  id: string,
  wire: FakeWire = "completions",
  model = "",
): Buffer {
  const { crlf, comments, noDone } = reply.quirks ?? {};
  const end = crlf ? "\r\n" : "\n";
  const lines = events[wire](reply, id, model).map((chunk) => {
    const { type } = chunk as { type?: unknown };
    const name = wire === "completions" ? "" : `event: ${String(type)}${end}`;
    return `${name}data: ${JSON.stringify(chunk)}${end}${end}`;
  });
  if (!noDone && wire === "completions") lines.push(`data: [DONE]${end}${end}`);
  return Buffer.from(lines.join(comments ? `: keep-alive${end}${end}` : ""), "utf8");
}

/**
 * The offsets at which `length` bytes are cut into `pieces`, at random by `seed`; "bytes" = after each byte. Cuts
 * may be inside characters and strings.
 */
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
