// Seeded random numbers, for simulations that always give the same result.

export function numbersFrom(seed: number) {
  let state = seed >>> 0;
  /** mulberry32: a number from 0 up to, but not including, 1. */
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    exponential: (mean: number) => -Math.log(1 - next()) * mean,
    /** Knuth's method, for means below a few dozen. */
    poisson(mean: number): number {
      const end = Math.exp(-mean);
      let count = 0;
      for (let left = next(); left > end; left *= next()) count += 1;
      return count;
    },
  };
}
