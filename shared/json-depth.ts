// Measures how deeply parsed JSON is nested. JavaScript engines parse any depth without recursion, but nearly
// everything after the parser recurses: schemas, copies, stringify, IndexedDB's structured clone. So the depth is
// checked right after parsing.
import { isObject } from "./is-record.ts";

/** Whether `value` is nested deeper than `levels`: a bare value has depth 0, `[]` 1, `[[]]` 2. Does not recurse. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let level: object[] = isObject(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    const next: object[] = [];
    for (const item of level) for (const inner of Object.values(item)) if (isObject(inner)) next.push(inner);
    level = next;
  }
  return false;
}
