// What every tool's result has in common: its size, its notes, and the words of a call that failed.
import type { CallResult } from "../../shared/sandbox.ts";
import { limits } from "../limits.ts";
import { clip, type Gap } from "./clip.ts";

export interface ResultText {
  ok: boolean;
  /** At most `limits.maxToolContentBytes` of UTF-8. */
  text: string;
  /** Facts for the UI's one-line card. */
  facts?: Record<string, unknown>;
}

/** What a tool makes of the value that the sandbox returned. */
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

/** `text` in the size of a tool message; `nameGap` says what is missing and how to read it. */
export function sized(text: string, nameGap?: (gap: Gap) => string): string {
  return clip(text, limits.maxToolContentBytes, nameGap);
}

/** `text` with a line in brackets after it, where that applies. */
export function withNote(text: string, applies: boolean, note: string): string {
  return applies ? `${text}\n[${note}]` : text;
}

/** Names a gap by its size and says how to read what is missing. */
export function gapWithRemedy(remedy: string): (gap: Gap) => string {
  return ({ lines, bytes }) =>
    `[… ${bytes} bytes (${lines} ${lines === 1 ? "line" : "lines"}) cut: ${remedy} …]`;
}
