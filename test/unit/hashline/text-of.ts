// Shared by the tests of hashline: references to lines, odd characters, and results that must be of one kind.
import fc from "fast-check";
import { anchorOf } from "../../../shared/hashline/anchor.ts";
import { type AppliedEdits, type ApplyInput, applyEdits } from "../../../shared/hashline/apply.ts";
import type { Rejected } from "../../../shared/hashline/rejection.ts";
import { splitText } from "../../../shared/hashline/text.ts";

/** The reference to line `number` (from 1) of a text. */
export function ref(text: string, number: number): string {
  const line = splitText(text).lines[number - 1];
  if (line === undefined) throw new Error(`the text has no line ${number}`);
  return `${number}${anchorOf(line)}`;
}

export function mustApply(input: ApplyInput): AppliedEdits {
  const result = applyEdits(input);
  if (!result.ok) throw new Error(result.message);
  return result;
}

export function mustReject(input: ApplyInput): Rejected {
  const result = applyEdits(input);
  if (result.ok) throw new Error(`was applied: ${JSON.stringify(result.text)}`);
  return result;
}

/**
 * One UTF-16 unit of a random string: mostly ASCII, otherwise anything, including lone surrogates and NUL.
 */
export const anyUnit = fc.oneof(
  fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  fc.nat(0xffff).map((code) => String.fromCharCode(code)),
  fc.constantFrom(" ", "\t", "\r", "é", "漢", "😀", "\ud83d", "\ude00"),
);
