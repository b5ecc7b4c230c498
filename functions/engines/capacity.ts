// Limits how many guests may be awake, keeps the queue of those who wait for a place, and adds up today's
// cost. Each process counts separately, even if several serve the same engines.
import { HandrailError, toHandrailError } from "../../shared/errors.ts";
import type { Engine, EngineContext, EngineName } from "./engine.ts";
import { sandboxIdOf } from "./guest-id.ts";
import { numberOf } from "./guest-settings.ts";

export interface Capacity {
  /**
   * Reserves a place for a guest before it wakes. Throws `rate_limited`: `details.place` is the position in
   * the queue, from 1, which the caller keeps by asking again in time.
   */
  admit(asks: Asks): Promise<{ release(): void }>;
  /** Adds the cost of the guests since the last call. */
  meter(): Promise<void>;
  report(): { waiting: number; limit?: number; spentToday?: number; budget?: number };
}

interface Asks {
  /**
   * Identifies a caller that asks again; absent = repeated requests cannot be recognized, so they get no
   * position in the queue.
   */
  who: string | undefined;
  /** Id of the guest's sandbox, as far as it is known. A guest that is awake already is not counted again. */
  id: string | undefined;
  /** The owner of a new guest. Of an existing one, the engine knows the owner. */
  person?: string | undefined;
}

interface CapacityOptions extends Pick<EngineContext, "env" | "now" | "elapsed" | "log"> {
  /** The engines that make guests. */
  names: readonly EngineName[];
  engine(name: EngineName): Promise<Engine>;
}

interface KnownGuest {
  /** Ids of its sandbox: the actual one, and the one that the edge proposed. */
  ids: readonly string[];
  isAwake: boolean;
  /** "" = the server does not know persons; everyone with the token counts as one person. */
  person: string;
}

interface SeenGuests {
  guests: readonly KnownGuest[];
  dollarsPerHour: number;
}

/** A caller that has not asked again within this time has left the queue. */
const patienceMs = 30_000;
const askAgainSeconds = 5;
/** Only that person's own guests can make room, so it takes longer than a place in the queue. */
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
  /** The callers in order of arrival, with the time of each one's last request. */
  const line = new Map<string, number>();
  /** Places reserved for guests that may not be in lists yet. `person` is set once the guest is admitted. */
  const begun = new Set<{ id: string | undefined; person?: string }>();
  const spent = { day: -1, dollars: 0, until: 0 };

  /** What each engine last listed. An engine that does not answer keeps its last count. */
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

  /** Throws if the person has as many guests awake as one person may have. */
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
    // The wall clock only tells the day. Costs are measured by the monotonic clock, so that setting the clock
    // costs nothing.
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

  /** The position in the queue, from 1. A caller without a name comes last, and others do not wait for it. */
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
      // Reserved before the engines are asked, so that two callers at the same time do not get one place.
      const own: { id: string | undefined; person?: string } = { id };
      begun.add(own);
      const release = () => void begun.delete(own);
      try {
        const guests = await look();
        const awake = guests.filter(({ isAwake }) => isAwake);
        const isOf = (one: string | undefined) => (guest: KnownGuest) =>
          one !== undefined && guest.ids.includes(one);
        const known = guests.find(isOf(id));
        // The guest has a place already.
        if (known?.isAwake) release();
        else {
          checkBudget();
          // Those of the others that are awake are in their engine's list already.
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
        // These callers wait for no place, so others must not wait because of them.
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
