// Stores what guests have cost today, so that the count survives a restart of the edge, if the platform can
// store it.
import * as z from "zod/mini";
import type { EngineContext } from "./engine.ts";
import type { DaySpending } from "./place-keeper.ts";

const KeptSpending = z.object({ day: z.number(), dollars: z.number() });

interface SpendingOptions extends Pick<EngineContext, "elapsed" | "log" | "platform"> {
  /** This process's count, into which the stored one is loaded. */
  spent: DaySpending;
}

/** If loading or storing fails, that is logged, and the count covers this process alone. */
export function keptSpending({ elapsed, log, platform, spent }: SpendingOptions) {
  const { spending } = platform;
  const orLogged = (act: () => Promise<void>) =>
    act().catch((error: unknown) => {
      log({ event: "guest_spending", problem: error instanceof Error ? error.message : "unknown" });
    });

  async function load(): Promise<void> {
    const text = await spending?.load();
    // The monotonic clocks of two processes cannot be compared, so the time between them is not counted.
    if (text) Object.assign(spent, z.parse(KeptSpending, JSON.parse(text)), { until: elapsed() });
  }

  let loaded: Promise<void> | undefined;
  let stored = Promise.resolve();
  return {
    /** Call it before anything is counted. */
    load(): Promise<void> {
      loaded ??= orLogged(load);
      return loaded;
    },
    store(): Promise<void> {
      const { day, dollars } = spent;
      if (spending)
        stored = stored.then(() => orLogged(() => spending.store(JSON.stringify({ day, dollars }))));
      return stored;
    },
  };
}
