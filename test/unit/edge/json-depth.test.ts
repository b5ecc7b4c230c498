import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseArguments } from "../../../functions/calls/prepared.ts";
import { parseRecord } from "../../../functions/model/json-value.ts";
import { repairArguments } from "../../../functions/model/repair.ts";
import { unparsed } from "../../../functions/model/text-calls/wrong-arguments.ts";
import { isDeeperThan } from "../../../shared/json-depth.ts";

const deep = (levels: number): string => `${'{"a":['.repeat(levels / 2)}${"]}".repeat(levels / 2)}`;

/** The recursive definition of what `isDeeperThan` must answer without recursion. */
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe("the depth of JSON", () => {
  test("exceeds every smaller number and no other", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.nat(10), (value, levels) => {
        expect(isDeeperThan(value, levels)).toBe(depthOf(value) > levels);
      }),
    );
  });

  test("of 1.5 million levels is measured without an overflow", { tags: "long" }, () => {
    expect(isDeeperThan(JSON.parse(deep(1_500_000)), 200)).toBe(true);
  });

  test("a key __proto__ counts like any other and changes no prototype", () => {
    const value = JSON.parse('{"__proto__":{"a":[[[1]]]}}');
    expect(isDeeperThan(value, 4)).toBe(true);
    expect(isDeeperThan(value, 5)).toBe(false);
    expect(Object.hasOwn(Object.prototype, "a")).toBe(false);
  });

  test("call arguments that are nested too deep give the model a message", () => {
    expect(parseArguments(deep(1_000_000))).toEqual({ ok: false });
    expect(unparsed("run_command", deep(1_000_000))).toContain("deeper than 100 levels");
  });

  test.each([
    ["an object", deep(1_000_000)],
    ["an object in a string", JSON.stringify(deep(1_000_000))],
    ["an object that is not closed", '{"a":['.repeat(400_000)],
    ["an object in a fence", `\`\`\`json\n${deep(1_000_000)}\n\`\`\``],
  ])(
    "%s of absurd depth is neither read nor repaired, and nothing overflows",
    { tags: "long" },
    (_, text) => {
      expect(parseRecord(text)).toBeUndefined();
      expect(repairArguments(text)).toBeUndefined();
    },
  );
});
