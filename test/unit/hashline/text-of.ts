// What the tests of hashline share: references to lines, and results that must be of one kind.
import { anchorOf } from "../../../shared/hashline/anchor.ts";
import { type Applied, type ApplyInput, applyEdits } from "../../../shared/hashline/apply.ts";
import type { Rejected } from "../../../shared/hashline/rejection.ts";
import { splitText } from "../../../shared/hashline/text.ts";

/** The reference to line `number` (from 1) of a text. */
export function ref(text: string, number: number): string {
  const line = splitText(text).lines[number - 1];
  if (line === undefined) throw new Error(`the text has no line ${number}`);
  return `${number}${anchorOf(line)}`;
}

export function mustApply(input: ApplyInput): Applied {
  const result = applyEdits(input);
  if (!result.ok) throw new Error(result.message);
  return result;
}

export function mustReject(input: ApplyInput): Rejected {
  const result = applyEdits(input);
  if (result.ok) throw new Error(`was applied: ${JSON.stringify(result.text)}`);
  return result;
}
