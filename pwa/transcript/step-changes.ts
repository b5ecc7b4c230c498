// The differences between the steps of two plans, for a person to compare. Pure.
import type { Step } from "../../shared/plan/plan-file.ts";

export interface StepDifference {
  kind: "removed" | "added" | "changed";
  id: string;
  /** The step's number, from 1, in the new plan, or in the old one if it was removed. */
  number: number;
  before?: string;
  after?: string;
}

/**
 * The differences between the steps of two plans. Steps with the same words are the same step, wherever they are;
 * otherwise their ids decide. A changed step has the parts that differ, each as text.
 */
export function stepChanges(before: readonly Step[], after: readonly Step[]): StepDifference[] {
  const left = new Map(before.map((step, index) => [index, step] as const));
  const pairs = new Map<number, Step>();
  const pair = (same: (was: Step, now: Step) => boolean) => {
    for (const [at, now] of after.entries()) {
      if (pairs.has(at)) continue;
      const found = [...left].find(([, was]) => same(was, now));
      if (found === undefined) continue;
      left.delete(found[0]);
      pairs.set(at, found[1]);
    }
  };
  pair((was, now) => was.description === now.description);
  pair((was, now) => was.id === now.id);
  const changes = after.flatMap((now, at): StepDifference[] => {
    const was = pairs.get(at);
    const number = at + 1;
    if (was === undefined) return [{ kind: "added", id: now.id, number, after: textOf(now) }];
    if (textOf(was) === textOf(now)) return [];
    const [old, changed] = [textOf(was, now), textOf(now, was)];
    // Only their order or their number differs.
    const whole = old === changed;
    const texts = { before: whole ? textOf(was) : old, after: whole ? textOf(now) : changed };
    return [{ kind: "changed", id: now.id, number, ...texts }];
  });
  const removed = [...left].map(
    ([at, was]): StepDifference => ({ kind: "removed", id: was.id, number: at + 1, before: textOf(was) }),
  );
  return [...removed, ...changes];
}

/** Its title, its text and its check, without the parts that `other` has too. */
function textOf(step: Step, other?: Step): string {
  const same = other === undefined ? [] : detailsOf(other);
  return [step.description, ...detailsOf(step).filter((line) => !same.includes(line))].join("\n");
}

function detailsOf({ actions, checkpoint, onFail }: Step): string[] {
  const check = checkpoint ? [`Check: \`${checkpoint.command}\`, if it fails: ${onFail}`] : [];
  return [...actions.map((action) => `– ${action}`), ...check];
}
