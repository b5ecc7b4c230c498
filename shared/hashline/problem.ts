// What can be wrong with an edit, as data. rejection.ts turns it into words for the model.

/**
 * The first three mean that the file differs from what the references refer to; the others, that the request itself is
 * wrong.
 */
export type EditProblem =
  | "anchor_mismatch"
  | "stale_lines"
  | "unknown_version"
  | "bad_reference"
  | "out_of_range"
  | "overlap"
  | "no_change"
  | "no_change_repeated"
  | "not_found"
  | "ambiguous"
  | "redacted"
  | "clipped"
  | "not_text";

const staleReasons: ReadonlySet<EditProblem> = new Set(["anchor_mismatch", "stale_lines", "unknown_version"]);

export function isStale(reason: EditProblem): boolean {
  return staleReasons.has(reason);
}

/** `edit` is the index in the request, from 0; -1 = the request as a whole. */
export interface Problem {
  reason: EditProblem;
  edit: number;
  text: string;
  /** Places in the base whose current text helps the model to correct its request. */
  show?: readonly Span[];
}

/** Lines from 0, `to` excluded. */
export interface Span {
  from: number;
  to: number;
}
