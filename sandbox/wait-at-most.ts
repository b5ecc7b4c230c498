// Waits with a limit. The work itself continues.

/** Resolves with `work`, or when `waitMs` have passed. */
export async function waitAtMost(work: Promise<unknown> | undefined, waitMs: number): Promise<void> {
  if (!work) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, waitMs);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
