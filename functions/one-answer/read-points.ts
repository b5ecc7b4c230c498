// Parses the points of a review from a model's text: JSON, which it was asked for, or a list. Pure.
import * as z from "zod/mini";
import { maxPoints, type OpinionPoint } from "../../shared/second-opinion.ts";
import { visibleText } from "../../shared/visible-text.ts";

const maxPointChars = 600;

const WrittenReview = z.object({
  points: z.array(
    z.object({ step: z.optional(z.nullable(z.union([z.number(), z.string()]))), text: z.string() }),
  ),
});

/**
 * At most five points, in order; undefined if nothing in `written` looks like a review. `stepIds`: the plan's steps, in
 * order.
 */
export function readPoints(written: string, stepIds: readonly string[]): OpinionPoint[] | undefined {
  const said = pointsInJson(written) ?? pointsInList(written);
  return said
    ?.map(({ step, text }): OpinionPoint => {
      const stepId = stepIds[step - 1];
      const plain = withoutPlace(text.replace(/\s+/g, " ").trim(), step);
      const words = visibleText(plain.slice(0, maxPointChars));
      return { ...(stepId === undefined ? {} : { stepId }), text: words };
    })
    .filter(({ text }) => text !== "")
    .slice(0, maxPoints);
}

/** Removes "whole:" or "Step 2:" from the beginning, because the step is shown next to the text. */
function withoutPlace(text: string, step: number): string {
  return text.replace(
    /^[*_[(]*(?:(?:(?:on|about) )?(?:the )?(?:(?:whole|entire|overall)(?:[- ]plan)?|plan as a whole)|step (\d+)(?: \([^)]*\))?)[*_\])]*\s?(?::|[–—]|- )[*_]*\s*/i,
    (place, named: string | undefined) => (Number(named ?? 0) === step ? "" : place),
  );
}

interface SaidPoint {
  /** The number of the step from 1; 0 = the whole plan. */
  step: number;
  text: string;
}

function pointsInJson(written: string): SaidPoint[] | undefined {
  const json = written.slice(written.indexOf("{"), written.lastIndexOf("}") + 1);
  try {
    const read = z.safeParse(WrittenReview, JSON.parse(json));
    return read.data?.points.map(({ step, text }) => ({ step: numberIn(step), text }));
  } catch {
    return undefined;
  }
}

function numberIn(step: number | string | null | undefined): number {
  return Number(/\d+/.exec(String(step ?? ""))?.[0] ?? 0);
}

/** Matches points such as "2. **Step 3**: the check cannot fail." */
function pointsInList(written: string): SaidPoint[] | undefined {
  const points = written.split("\n").flatMap((line): SaidPoint[] => {
    const item = /^\s*(?:[-*•]|\d+[.)])\s+(.*)$/.exec(line)?.[1];
    if (item === undefined) return [];
    const [, step, text] = /^\W*step\s+(\d+)\W*\s(.*)$/i.exec(item) ?? [];
    return [{ step: Number(step ?? 0), text: text ?? item }];
  });
  return points.length > 0 ? points : undefined;
}
