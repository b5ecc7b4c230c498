// Finds edits of one request that conflict with each other. It reads places in the base alone.
import type { Planned } from "./plan-edits.ts";
import { ranks } from "./plan-edits.ts";
import type { Problem } from "./problem.ts";

/** Sorts planned edits by their place in the file. */
export function inFileOrder(planned: readonly Planned[]): Planned[] {
  return planned.toSorted((a, b) => a.from - b.from || a.rank - b.rank);
}

/**
 * Replaced ranges may touch but not overlap. Insertions may be at the edges of a range but not inside it. A gap takes
 * only one insertion of each kind, because two would have no defined order. `ordered` is in file order.
 */
export function overlaps(ordered: readonly Planned[]): Problem[] {
  const problems: Problem[] = [];
  let range: Planned | undefined;
  ordered.forEach((one, index) => {
    const before = ordered[index - 1];
    if (range && one.from < range.to && one !== range) problems.push(clash(one, range));
    else if (before && one.rank !== ranks.replace && before.from === one.from && before.rank === one.rank) {
      const moves = one.moved ?? before.moved;
      problems.push(
        clash(one, before, moves ? "send one of them afterwards" : "put both texts into one edit"),
      );
    }
    if (one.rank === ranks.replace && (!range || one.to > range.to)) range = one;
  });
  return problems;
}

function clash(one: Planned, other: Planned, advice?: string): Problem {
  const [first = -1, second = -1] = [one.edits[0], other.edits[0]];
  const [earlier, later] = first < second ? [first, second] : [second, first];
  const text = `overlaps edits[${earlier}]${placeOf(one, other)}${advice ? `; ${advice}` : ""}`;
  return { reason: "overlap", edit: later, text };
}

function placeOf(one: Planned, other: Planned): string {
  const from = Math.max(one.from, other.from) + 1;
  const to = Math.max(from, Math.min(one.to, other.to));
  return from === to ? ` at line ${from}` : ` on lines ${from} to ${to}`;
}
