// The number of inputs that a test tries: few in `npm test`, all in `npm run test:all` and when vitest is
// called directly. The test needs the tag `random`, or `test:all` skips it. If `test:all` does not try all of
// them either, the tag is `seeds`, and `npm run test:length` tries them all.

/** `scripts/test.ts` sets `HANDRAIL_TESTS`. */
const extent = process.env.HANDRAIL_TESTS;

/** @param few enough to show an obvious mistake. @param more for `test:all`, with the tag `seeds`. */
export function runs(all: number, few: number, more = all): number {
  return extent === "sample" ? few : extent === "rest" ? more : all;
}

/** `few` of a list in `npm test`, `more` in `test:all`, evenly distributed. */
export function spread<T>(list: readonly T[], few: number, more = list.length): T[] {
  const wanted = runs(list.length, few, more);
  if (list.length <= wanted) return [...list];
  return Array.from({ length: wanted }, (_, n) => list[Math.floor((n * list.length) / wanted)]).filter(
    (item): item is T => item !== undefined,
  );
}
