// What every tool's result has in common: its size in UTF-8 bytes (head and tail kept, whole lines if there are any,
// the gap always named), its notes, and the words of a call that failed.
import type { CallResult } from "../../shared/sandbox.ts";
import * as limits from "../limits.ts";

export interface ResultText {
  ok: boolean;
  /** At most `limits.maxToolContentBytes` of UTF-8. */
  text: string;
  /** Facts for the UI's one-line card. */
  facts?: Record<string, unknown>;
}

/** The text for the model and the facts for the person that a tool derives from the sandbox's value. */
export interface ValueText {
  text: string;
  facts: Record<string, unknown>;
}

/**
 * A sandbox result as text for the model and facts for the person. A pure function of the recorded result. `cutText`: lines
 * for the partial value of a call that was stopped.
 */
export function resultText(
  result: CallResult,
  valueText: (value: unknown) => ValueText,
  cutText: (value: unknown) => string[] = () => [],
): ResultText {
  if (!result.ok) {
    const code = result.error?.code ?? "internal";
    const message = result.error?.message ?? "the call failed";
    const text = message.startsWith("REJECTED") ? message : `error: ${message}`;
    const cut = result.value === undefined ? [] : cutText(result.value);
    return { ok: false, text: sized([text, ...cut].join("\n")), facts: { code, ms: result.ms } };
  }
  const { text, facts } = valueText(result.value);
  return { ok: true, text, facts: { ...facts, ms: result.ms } };
}

/** `text`, cut to the size of a tool message; `nameGap` says what is missing and how to read it. */
export function sized(text: string, nameGap?: (gap: Gap) => string): string {
  return clip(text, limits.maxToolContentBytes, nameGap);
}

/** `text`, with a line in brackets after it if there is one. */
export function withNote(text: string, applies: boolean, note: string): string {
  return applies ? `${text}\n[${note}]` : text;
}

/** Names a gap by its size and says how to read what is missing. */
export function gapWithRemedy(remedy: string): (gap: Gap) => string {
  return ({ lines, bytes }) =>
    `[… ${bytes} bytes (${lines} ${lines === 1 ? "line" : "lines"}) cut: ${remedy} …]`;
}

/** The head gets more of the room, because it contains headers and the first errors. */
const headShare = 0.6;

interface Gap {
  /** Lines and bytes that are missing. */
  lines: number;
  bytes: number;
  /** Index of the first missing line. */
  from: number;
}

/**
 * `text` in at most `maxBytes`, or more if the gap's label alone needs more. `name` returns that label; it is
 * called twice, and only its numbers may differ in length.
 */
export function clip(text: string, maxBytes: number, name: (gap: Gap) => string = nameGap): string {
  const size = byteLength(text);
  if (size <= maxBytes) return text;
  const lines = text.split("\n");
  const room = maxBytes - byteLength(name({ lines: lines.length, bytes: size, from: lines.length })) - 8;
  const head = linesWithin(lines, Math.floor(room * headShare));
  const tail = linesWithin(lines.slice(head.length).reverse(), room - sizeOf(head)).reverse();
  // The lines are too long to keep whole, so the text is cut inside them.
  if (sizeOf(head) + sizeOf(tail) < room / 2) return clipCharacters(text, size, room, name);
  const left = size - sizeOf(head) - sizeOf(tail);
  const gap = name({ lines: lines.length - head.length - tail.length, bytes: left, from: head.length });
  return [...head, gap, ...tail].join("\n");
}

/** The first of `lines` that fit into `maxBytes` with their line breaks. */
export function linesWithin(lines: readonly string[], maxBytes: number): string[] {
  let used = 0;
  const end = lines.findIndex((line) => {
    used += byteLength(line) + 1;
    return used > maxBytes;
  });
  return lines.slice(0, end < 0 ? lines.length : end);
}

function clipCharacters(text: string, size: number, room: number, name: (gap: Gap) => string): string {
  const bytes = new TextEncoder().encode(text);
  const headBytes = Math.max(0, Math.floor(room * headShare));
  const tailBytes = Math.max(0, room - headBytes);
  // A character cut in half decodes to U+FFFD at the cut, and is removed.
  const head = decode(bytes.subarray(0, headBytes)).replace(/\uFFFD+$/, "");
  const tail = decode(bytes.subarray(size - tailBytes)).replace(/^\uFFFD+/, "");
  const from = head.split("\n").length - 1;
  const lines = text.slice(head.length, text.length - tail.length).split("\n").length;
  return `${head}\n${name({ lines, bytes: size - headBytes - tailBytes, from })}\n${tail}`;
}

function nameGap({ lines, bytes }: Gap): string {
  return `[… ${bytes} bytes (${lines} ${lines === 1 ? "line" : "lines"}) cut …]`;
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + byteLength(line) + 1, 0);
}

export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function decode(bytes: Uint8Array): string {
  // A BOM is kept: it is text like any other.
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
