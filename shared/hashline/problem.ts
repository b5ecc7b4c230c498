// What can be wrong with an edit, as data. The words for the model are made in rejection.ts.

/** The first three mean that the file is not what the references mean; the others that the request itself is wrong. */
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
  /** Places in the base whose present state helps the model to continue. */
  show?: readonly Span[];
}

/** Lines from 0, `to` excluded. */
export interface Span {
  from: number;
  to: number;
}
