import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonExcess } from "../../../shared/json-excess.ts";

/** The depth by its definition. The product counts it from the text instead. */
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
function commasIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value);
  return Math.max(0, inner.length - 1) + inner.reduce((sum: number, one) => sum + commasIn(one), 0);
}

describe("too much JSON is seen in its text", () => {
  test("levels and values, whatever strings and keys hold", () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[[\]{},:"\\]{0,8}$/));
    const { value: json } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        ...[text, fc.integer(), fc.constant(null)],
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(text, tie("value"), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(
        json,
        fc.nat(8),
        fc.integer({ min: 1, max: 12 }),
        fc.boolean(),
        (value, levels, values, wide) => {
          const written = JSON.stringify(value, null, wide ? 2 : 0);
          expect(jsonExcess(written, { levels, values: 1_000 }) !== undefined).toBe(depthOf(value) > levels);
          expect(jsonExcess(written, { levels: 1_000, values }) !== undefined).toBe(
            commasIn(value) >= values,
          );
        },
      ),
    );
  });

  test("a string without an end holds nothing", () => {
    expect(jsonExcess(`["${"[,".repeat(1_000)}`, { levels: 2, values: 2 })).toBeUndefined();
    expect(jsonExcess('["\\', { levels: 2, values: 2 })).toBeUndefined();
  });
});
