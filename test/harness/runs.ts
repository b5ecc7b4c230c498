// How many inputs a property test tries: few in `npm test`, all of them in `npm run test:all` and where vitest is called by
// hand. The test needs the tag `random`, or `test:all` leaves it out.

/** `HANDRAIL_TESTS` is set by `scripts/test.ts`. */
const sampled = process.env.HANDRAIL_TESTS === "sample";

/** @param few at least enough that a plain mistake shows. */
export function runs(all: number, few: number): number {
  return sampled ? few : all;
}

/** The first `few` of a list in `npm test`, evenly spread. */
export function spread<T>(list: readonly T[], few: number): T[] {
  if (!sampled || list.length <= few) return [...list];
  return Array.from({ length: few }, (_, n) => list[Math.floor((n * list.length) / few)]).filter(
    (item): item is T => item !== undefined,
  );
}
