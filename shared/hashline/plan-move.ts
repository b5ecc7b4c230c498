// Reads the `move` edits of a request against the base text: lines are removed at one place and inserted at another.
// The base supplies the moved lines, so parts that a clipped row did not show are moved as well.
import type { Edit } from "./edit.ts";
import {
  type EditPlan,
  guardOf,
  type Planned,
  type PlanOptions,
  type ReferenceContext,
  rangeOf,
  ranks,
  resolve,
} from "./plan-edits.ts";
import type { Span } from "./problem.ts";
import { type TextLines, withoutCr } from "./text.ts";

type Move = Extract<Edit, { op: "move" }>;

/** Plans each move as a deletion and an insertion that are only applied together. */
export function planMoves(edits: readonly Edit[], base: TextLines, options: PlanOptions): EditPlan {
  const plan: EditPlan = { planned: [], problems: [], warnings: [] };
  edits.forEach((edit, index) => {
    if (edit.op !== "move") return;
    const reading = { index, base, problems: plan.problems, options };
    const source = rangeOf(edit, reading);
    const target = targetOf(edit, reading);
    if (!source || !target) return;
    if (target.from > source.from && target.from < source.to) {
      const text = "the place to move to is inside the lines that move";
      plan.problems.push({ reason: "overlap", edit: index, text });
      return;
    }
    plan.planned.push(...planned(source, target, index, base));
  });
  return plan;
}

function planned(source: Span, target: Target, index: number, base: TextLines): Planned[] {
  const total = base.lines.length;
  const lines = base.lines.slice(source.from, source.to).map(withoutCr);
  const { rank, ...gap } = target;
  return [
    { ...source, edits: [index], rank: ranks.replace, lines: [], guard: source, known: { from: 0, to: 0 } },
    {
      ...{ ...gap, edits: [index], rank, lines, guard: guardOf(gap, total) },
      ...{ known: { from: 0, to: lines.length }, moved: true },
    },
  ];
}

interface Target extends Span {
  rank: typeof ranks.insert_after | typeof ranks.insert_before;
}

/** The gap to which the lines are moved; null if it is not named correctly, with the reason added to the problems. */
function targetOf({ before, after }: Move, reading: ReferenceContext): Target | null {
  if ((before === undefined) === (after === undefined)) {
    const text = "a move names one place: a row in `before`, or one in `after`";
    reading.problems.push({ reason: "bad_reference", edit: reading.index, text });
    return null;
  }
  const line = resolve(before ?? after ?? "", reading);
  if (line === null) return null;
  const at = before === undefined ? line + 1 : line;
  return { from: at, to: at, rank: before === undefined ? ranks.insert_after : ranks.insert_before };
}
