// Limits how many guests may be awake, and what they may cost a day. It counts in this process, or lets an
// engine count for all processes of the edge.
import { toHandrailError } from "../../shared/errors.ts";
import type { Engine, EngineContext, EngineName } from "./engine.ts";
import { sandboxIdOf } from "./guest-id.ts";
import { numberOf } from "./guest-settings.ts";
import { keptSpending } from "./kept-spending.ts";
import {
  type AskedPlace,
  PlaceKeeper,
  type PlaceLimits,
  type PlaceReport,
  type SeenGuests,
} from "./place-keeper.ts";

export interface Capacity {
  /** Like `PlaceKeeper.take`. */
  admit(asks: AskedPlace): Promise<{ release(): void | Promise<void> }>;
  /** Adds the cost of the guests since the last call. */
  meter(): Promise<void>;
  report(): Promise<{ waiting: number; limit?: number; spentToday?: number; budget?: number }>;
}

interface CapacityOptions extends Pick<EngineContext, "env" | "now" | "elapsed" | "log" | "platform"> {
  /** The engines that make guests. */
  names: readonly EngineName[];
  engine(name: EngineName): Promise<Engine>;
}

const nothing: SeenGuests = { guests: [], dollarsPerHour: 0 };
/** A guest needs less time than this to get into its engine's list. */
const begunMs = 120_000;

export function createCapacity(options: CapacityOptions): Capacity {
  const { env, log, names, engine, platform } = options;
  const limits = limitsOf(env);
  const isCounted = Object.keys(limits).length > 0;
  // If the platform drops a request, its place is never given back.
  const own = new PlaceKeeper(options, platform.requestsApart ? { begunMs } : {});
  const spending = limits.budget === undefined ? undefined : platform.spending;
  const kept = keptSpending({ ...options, spending, spent: own.spent });
  /** Loads what was spent before, counts, and stores the result. */
  async function withOwn<T>(count: (places: PlaceKeeper) => Promise<T>): Promise<T> {
    await kept.load();
    return count(own).finally(kept.store);
  }
  /** The newest list of each engine. An engine that does not answer keeps its last one. */
  const lastSeen = new Map<string, SeenGuests>();

  async function seenIn(name: EngineName): Promise<SeenGuests> {
    try {
      const made = await engine(name);
      if (made.places) return nothing;
      const guests = (await made.list()).map(({ guest, name: proposed = guest, state, person = "" }) => {
        const isAwake = state === "ready" || state === "starting";
        const ids = [guest, proposed].map((one) => sandboxIdOf({ engine: name, guest: one }));
        return { ids, isAwake, person };
      });
      const count = guests.filter(({ isAwake }) => isAwake).length;
      lastSeen.set(name, { guests, dollarsPerHour: count * (made.costPerHour ?? 0) });
    } catch (error) {
      log({ event: "count_guests", engine: name, problem: toHandrailError(error).message });
    }
    return lastSeen.get(name) ?? nothing;
  }

  async function look(): Promise<SeenGuests> {
    const seen = await Promise.all(names.map(seenIn));
    return {
      guests: seen.flatMap(({ guests }) => guests),
      dollarsPerHour: seen.reduce((sum, { dollarsPerHour }) => sum + dollarsPerHour, 0),
    };
  }

  /** Finds the one engine that counts for all processes. */
  async function shared() {
    for (const name of names) {
      const made = await engine(name).catch(() => undefined);
      if (made?.places) return { places: made.places, costPerHour: made.costPerHour ?? 0 };
    }
    return undefined;
  }

  return {
    async admit(asks) {
      if (!isCounted) return { release: () => undefined };
      const counter = await shared();
      if (!counter) return { release: await withOwn((places) => places.take(asks, limits, look)) };
      const { places, costPerHour } = counter;
      const release = await places.take(asks, { limits, costPerHour, others: await look() });
      return { release: () => release().catch(() => undefined) };
    },
    async meter() {
      if (limits.budget === undefined) return;
      const counter = await shared();
      if (!counter) return withOwn(async (places) => places.spend((await look()).dollarsPerHour));
      const { places, costPerHour } = counter;
      await places.report({ limits, costPerHour, others: await look() });
    },
    async report() {
      const { limit, budget } = limits;
      const counter = isCounted ? await shared() : undefined;
      const { waiting, spentToday }: PlaceReport = counter
        ? await counter.places.report({ limits, costPerHour: counter.costPerHour, others: await look() })
        : await kept.load().then(() => own.report);
      return {
        waiting,
        ...(limit === undefined ? {} : { limit }),
        ...(budget === undefined ? {} : { budget, spentToday }),
      };
    },
  };
}

/** Throws `invalid_request`. */
function limitsOf(env: CapacityOptions["env"]): PlaceLimits {
  const said = {
    limit: numberOf(env, "HANDRAIL_GUEST_LIMIT", undefined, "how many guests may be awake at once"),
    each: numberOf(
      env,
      "HANDRAIL_GUEST_LIMIT_EACH",
      undefined,
      "how many guests of one person may be awake at once",
    ),
    budget: numberOf(env, "HANDRAIL_GUEST_BUDGET", undefined, "the US dollars that guests may cost a day"),
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}
