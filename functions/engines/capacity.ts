// How many guests may be awake, who waits for a place in which order, and what they cost today. Each process counts for
// itself, even if several serve the same engines.
import { HandrailError, toHandrailError } from "../../shared/errors.ts";
import type { Engine, EngineContext, EngineName } from "./engine.ts";
import { sandboxIdOf } from "./guest-id.ts";
import { numberOf } from "./guest-settings.ts";

export interface Capacity {
  /**
   * Takes a place for a guest before it wakes. Throws `rate_limited`: `details.place` is its place in line, from 1,
   * which it keeps if it asks again in time.
   */
  admit(asks: Asks): Promise<{ release(): void }>;
  /** Adds what the guests have cost since it was last called. */
  meter(): Promise<void>;
  report(): { waiting: number; limit?: number; spentToday?: number; budget?: number };
}

interface Asks {
  /** Whoever asks again, by the same name; absent = nobody knows whether it is the same one, and it gets no place in line. */
  who: string | undefined;
  /** Of the guest's sandbox, as far as it is known: where that is awake already, it is not counted again. */
  id: string | undefined;
  /** The owner of a new guest; the engine knows the owner of an existing one. */
  person?: string | undefined;
}

interface CapacityOptions extends Pick<EngineContext, "env" | "now" | "elapsed" | "log"> {
  /** The engines that make guests. */
  names: readonly EngineName[];
  engine(name: EngineName): Promise<Engine>;
}

interface KnownGuest {
  /** Of its sandbox: what it is, and what the edge proposed. */
  ids: readonly string[];
  isAwake: boolean;
  /** "" = the server does not know: one token is one person then. */
  person: string;
}

interface SeenGuests {
  guests: readonly KnownGuest[];
  dollarsPerHour: number;
}

/** Who does not ask again for so long has gone. */
const patienceMs = 30_000;
const askAgainSeconds = 5;
/** Nobody else makes room for those of one person. */
const ownAgainSeconds = 60;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export function createCapacity({ env, now, elapsed, log, names, engine }: CapacityOptions): Capacity {
  const limit = numberOf(env, "HANDRAIL_GUEST_LIMIT", undefined, "how many guests may be awake at once");
  const each = numberOf(
    env,
    "HANDRAIL_GUEST_LIMIT_EACH",
    undefined,
    "how many guests of one person may be awake at once",
  );
  const budget = numberOf(
    env,
    "HANDRAIL_GUEST_BUDGET",
    undefined,
    "the US dollars that guests may cost a day",
  );
  /** In order of arrival, with the time of the last request. */
  const line = new Map<string, number>();
  /** Places that were given to guests that need not be in lists yet; `person` once it is admitted. */
  const begun = new Set<{ id: string | undefined; person?: string }>();
  const spent = { day: -1, dollars: 0, until: 0 };

  /** As each engine last listed them; an engine that does not answer keeps its last count. */
  const lastSeen = new Map<string, SeenGuests>();

  async function seenIn(name: EngineName): Promise<SeenGuests> {
    try {
      const made = await engine(name);
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
    return lastSeen.get(name) ?? { guests: [], dollarsPerHour: 0 };
  }

  async function look(): Promise<readonly KnownGuest[]> {
    const seen = await Promise.all(names.map(seenIn));
    spend(seen.reduce((sum, { dollarsPerHour }) => sum + dollarsPerHour, 0));
    return seen.flatMap(({ guests }) => guests);
  }

  /** Where one person has as many as one may have. */
  function checkEach(person: string, all: readonly { person?: string }[]): void {
    const own = all.filter((one) => one.person === person);
    if (each === undefined || own.length < each) return;
    throw new HandrailError(
      "rate_limited",
      `You have ${own.length} sandboxes awake, and may have ${each}. Go on in one of them, or wait until one that is not used goes to sleep.`,
      { details: { reason: "person", retryAfterSeconds: ownAgainSeconds } },
    );
  }

  function spend(dollarsPerHour: number): void {
    // The wall clock says which day it is; what it jumps costs nothing.
    const at = elapsed();
    const day = Math.floor(now() / dayMs);
    if (day !== spent.day) Object.assign(spent, { day, dollars: 0, until: at });
    spent.dollars += (dollarsPerHour * (at - spent.until)) / hourMs;
    spent.until = at;
  }

  function checkBudget(): void {
    if (budget === undefined || spent.dollars < budget) return;
    const retryAfterSeconds = Math.ceil((dayMs - (now() % dayMs)) / 1_000);
    throw new HandrailError(
      "rate_limited",
      `Today's budget for sandboxes, $${budget}, is used up. They start again after midnight UTC (HANDRAIL_GUEST_BUDGET).`,
      { retryable: false, details: { reason: "budget", retryAfterSeconds } },
    );
  }

  /** From 1; who gives no name comes last and is not waited for. */
  function placeOf(who: string | undefined): number {
    for (const [name, askedAt] of line) if (elapsed() - askedAt > patienceMs) line.delete(name);
    if (who === undefined) return line.size + 1;
    line.set(who, elapsed());
    return [...line.keys()].indexOf(who) + 1;
  }

  return {
    async admit({ who, id, person: asked = "" }) {
      if (limit === undefined && budget === undefined && each === undefined)
        return { release: () => undefined };
      const place = limit === undefined ? 0 : placeOf(who);
      // Taken before the engines are asked: two who ask at once do not get one place.
      const own: { id: string | undefined; person?: string } = { id };
      begun.add(own);
      const release = () => void begun.delete(own);
      try {
        const guests = await look();
        const awake = guests.filter(({ isAwake }) => isAwake);
        const isOf = (one: string | undefined) => (guest: KnownGuest) =>
          one !== undefined && guest.ids.includes(one);
        const known = guests.find(isOf(id));
        // It already has a place.
        if (known?.isAwake) release();
        else {
          checkBudget();
          // Those of others that are awake are in their engine's list already.
          const others = [...begun].filter(
            (one) => one !== own && (id === undefined || one.id !== id) && !awake.some(isOf(one.id)),
          );
          if (limit !== undefined && limit - awake.length - others.length < place) throw waits(place, limit);
          const person = known?.person ?? asked;
          checkEach(person, [...awake, ...others]);
          own.person = person;
        }
        if (who !== undefined) line.delete(who);
        return { release };
      } catch (error) {
        release();
        // No place that becomes free is for them: nobody waits because of them.
        if (who !== undefined && toHandrailError(error).details?.reason !== "capacity") line.delete(who);
        throw error;
      }
    },
    async meter() {
      if (budget !== undefined) await look();
    },
    report: () => ({
      waiting: line.size,
      ...(limit === undefined ? {} : { limit }),
      ...(budget === undefined ? {} : { budget, spentToday: spent.dollars }),
    }),
  };
}

function waits(place: number, limit: number): HandrailError {
  return new HandrailError(
    "rate_limited",
    `All ${limit} sandboxes that may be awake at once are. You are number ${place} in line.`,
    { details: { reason: "capacity", place, retryAfterSeconds: askAgainSeconds } },
  );
}
