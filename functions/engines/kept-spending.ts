// Stores what guests have cost today, so that the count survives a restart of the edge, if the platform can
// store it. Where all processes share what is stored, they count together.
import * as z from "zod/mini";
import type { EngineContext, EnginePlatform } from "./engine.ts";
import type { DaySpending } from "./place-keeper.ts";

/** `at`: the time up to which it was counted, in milliseconds since the epoch. */
const KeptSpending = z.object({ day: z.number(), dollars: z.number(), at: z.optional(z.number()) });

interface SpendingOptions extends Pick<EngineContext, "now" | "elapsed" | "log"> {
  /** Absent = nothing is stored. */
  spending: EnginePlatform["spending"] | undefined;
  /** This process's count, into which the stored one is loaded. */
  spent: DaySpending;
}

/** If loading or storing fails, that is logged, and the count covers this process alone. */
export function keptSpending({ now, elapsed, log, spending, spent }: SpendingOptions) {
  const orLogged = (act: () => Promise<void>) =>
    act().catch((error: unknown) => {
      log({ event: "guest_spending", problem: error instanceof Error ? error.message : "unknown" });
    });

  async function load(): Promise<void> {
    const text = await spending?.load();
    if (!text) return;
    const { day, dollars, at = now() } = z.parse(KeptSpending, JSON.parse(text));
    // The monotonic clocks of two processes cannot be compared. Without another process, nobody counted in between, and
    // the time does not count.
    const uncountedMs = spending?.isShared ? Math.max(0, now() - at) : 0;
    Object.assign(spent, { day, dollars, until: elapsed() - uncountedMs });
  }

  let loaded: Promise<void> | undefined;
  let stored = Promise.resolve();
  return {
    /** Call it before anything is counted. */
    load(): Promise<void> {
      if (!loaded || spending?.isShared) loaded = orLogged(load);
      return loaded;
    },
    /**
     * Two processes may count at once. Both add the same time to the same stored amount, so it does not matter whose
     * result stays.
     */
    store(): Promise<void> {
      const { day, dollars, until } = spent;
      const at = now() - (elapsed() - until);
      if (spending)
        stored = stored.then(() => orLogged(() => spending.store(JSON.stringify({ day, dollars, at }))));
      return stored;
    },
  };
}
