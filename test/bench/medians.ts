// Compares the durations of pieces of work.

/** The median duration in ms of each work. The works alternate, so that all run under the same load. */
export async function medians(rounds: number, works: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const times: number[][] = works.map(() => []);
  for (let round = 0; round < rounds + 2; round++) {
    for (const [index, work] of works.entries()) {
      const begun = performance.now();
      await work();
      if (round >= 2) times[index]?.push(performance.now() - begun);
    }
  }
  return times.map((list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0);
}
