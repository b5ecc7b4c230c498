// How many inputs a test tries: few in `npm test`, all of them in `npm run test:all` and where vitest is called by
// hand. The test needs the tag `random`, or `test:all` leaves it out. If `test:all` does not try all of them either,
// its tag is `seeds`, and `npm run test:length` tries them all.

/** `HANDRAIL_TESTS` is set by `scripts/test.ts`. */
const extent = process.env.HANDRAIL_TESTS;

/** @param few enough to show a plain mistake. @param more in `test:all`, for the tag `seeds`. */
export function runs(all: number, few: number, more = all): number {
  return extent === "sample" ? few : extent === "rest" ? more : all;
}

/** `few` of a list in `npm test`, `more` in `test:all`, evenly spread. */
export function spread<T>(list: readonly T[], few: number, more = list.length): T[] {
  const wanted = runs(list.length, few, more);
  if (list.length <= wanted) return [...list];
  return Array.from({ length: wanted }, (_, n) => list[Math.floor((n * list.length) / wanted)]).filter(
    (item): item is T => item !== undefined,
  );
}
