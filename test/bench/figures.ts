// Prints measurements of the app: one line each, with its budget.
import { median } from "./cpu-time.ts";

/** `budget`: the largest allowed value, or the smallest where `atLeast` is set. */
export interface Figure {
  what: string;
  value: number;
  unit: string;
  digits?: number;
  budget?: number;
  atLeast?: boolean;
  /** More words about the figure. */
  more?: string;
}

export function say({ what, value, unit, digits = 0, budget, atLeast = false, more = "" }: Figure): void {
  const measured = `${value.toFixed(digits)} ${unit}`.trim();
  const holds = budget === undefined || (atLeast ? value >= budget : value <= budget);
  const ratio = budget === undefined || budget === 0 ? "" : `${(value / budget).toFixed(2)} of `;
  const beside = budget === undefined ? "no budget" : `${ratio}${budget} ${unit}${holds ? "" : "  MISSED"}`;
  console.log(`${what.padEnd(52)} ${measured.padStart(14)}   ${beside.padEnd(26)} ${more}`.trimEnd());
}

/** Measures `times` times and returns all results. */
export async function repeated<T>(times: number, measure: () => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  for (let index = 0; index < times; index += 1) all.push(await measure());
  return all;
}

export function sayMedian(figure: Omit<Figure, "value">, values: readonly number[]): void {
  const best = figure.atLeast === true ? Math.max(...values) : Math.min(...values);
  const more = `best of ${values.length}: ${best.toFixed(figure.digits ?? 0)}`;
  say({
    ...figure,
    value: median(values),
    more: figure.more === undefined ? more : `${more}; ${figure.more}`,
  });
}
