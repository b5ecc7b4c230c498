// Gives out the places for guests that are awake, keeps the queue of callers that wait for one, and adds up
// today's cost. It decides by the lists that it gets and asks no engine.
import * as z from "zod/mini";
import { HandrailError, toHandrailError } from "../../shared/errors.ts";

/** The operator's limits; an absent one means no limit. `budget`: US dollars a day (UTC). */
export const PlaceLimits = z.object({
  limit: z.optional(z.number()),
  each: z.optional(z.number()),
  budget: z.optional(z.number()),
});
export type PlaceLimits = z.infer<typeof PlaceLimits>;

/**
 * `ids`: the actual id of its sandbox, and the one that the edge proposed. `person`: "" = the server does not know
 * persons; everyone with the token counts as one person.
 */
const KnownGuest = z.object({ ids: z.array(z.string()), isAwake: z.boolean(), person: z.string() });
type KnownGuest = z.infer<typeof KnownGuest>;

export const SeenGuests = z.object({ guests: z.array(KnownGuest), dollarsPerHour: z.number() });
export type SeenGuests = z.infer<typeof SeenGuests>;

export const AskedPlace = z.object({
  /**
   * Identifies a caller that asks again; absent = repeated requests cannot be recognized, so they get no position
   * in the queue.
   */
  who: z.optional(z.string()),
  /** Id of the guest's sandbox, as far as it is known. A guest that is awake already is not counted again. */
  id: z.optional(z.string()),
  /** The owner of a new guest. For an existing guest, the engine knows the owner. */
  person: z.optional(z.string()),
});
export type AskedPlace = z.infer<typeof AskedPlace>;

/**
 * The data that one process sends to the engine that counts for all. `costPerHour`: the price of one of that
 * engine's guests.
 */
export const PlaceCount = z.object({ limits: PlaceLimits, costPerHour: z.number(), others: SeenGuests });
export type PlaceCount = z.infer<typeof PlaceCount>;

export const PlaceReport = z.object({ waiting: z.number(), spentToday: z.number() });
export type PlaceReport = z.infer<typeof PlaceReport>;

/** A place reserved for a guest that may not be in lists yet. `person` is set once the guest is admitted. */
interface BegunPlace {
  id: string | undefined;
  person?: string;
  at: number;
}

/** `until`: by the monotonic clock. */
export interface DaySpending {
  day: number;
  dollars: number;
  until: number;
}

interface PlaceClocks {
  /** Milliseconds since the epoch: tells the day. */
  now(): number;
  /** Milliseconds of a monotonic clock. */
  elapsed(): number;
}

/** A caller that has not asked again within this time has left the queue. */
const patienceMs = 30_000;
const askAgainSeconds = 5;
/**
 * A person at their own limit gets a place only when one of their own guests sleeps. That takes longer than
 * the queue, so they ask again later.
 */
const ownAgainSeconds = 60;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export class PlaceKeeper {
  readonly #clocks: PlaceClocks;
  /** After this time, a process that has not given its place back has died. */
  readonly #begunMs: number;
  /** The callers in order of arrival, with the time of each one's last request. */
  readonly #line = new Map<string, number>();
  readonly #begun = new Set<BegunPlace>();
  readonly spent: DaySpending;

  constructor(
    clocks: PlaceClocks,
    {
      begunMs = Infinity,
      spent = { day: -1, dollars: 0, until: 0 },
    }: { begunMs?: number; spent?: DaySpending } = {},
  ) {
    this.#clocks = clocks;
    this.#begunMs = begunMs;
    this.spent = spent;
  }

  /**
   * Reserves a place for a guest before it wakes; the returned function gives it back. `look` returns the guests that
   * exist now. Throws `rate_limited`: `details.place` is the position in the queue, from 1, which the caller keeps by
   * asking again in time.
   */
  async take(
    { who, id, person: asked = "" }: AskedPlace,
    { limit, each, budget }: PlaceLimits,
    look: () => Promise<SeenGuests>,
  ): Promise<() => void> {
    const place = limit === undefined ? 0 : this.#placeOf(who);
    // Reserved before the engines are asked, so that two callers at the same time do not get the same place.
    const own: BegunPlace = { id, at: this.#clocks.elapsed() };
    this.#begun.add(own);
    const release = () => void this.#begun.delete(own);
    try {
      const seen = await look();
      this.spend(seen.dollarsPerHour);
      const awake = seen.guests.filter(({ isAwake }) => isAwake);
      const isOf = (one: string | undefined) => (guest: KnownGuest) =>
        one !== undefined && guest.ids.includes(one);
      const known = seen.guests.find(isOf(id));
      // The guest has a place already.
      if (known?.isAwake) release();
      else {
        if (budget !== undefined && this.spent.dollars >= budget) throw this.#usedUp(budget);
        this.#dropAbandoned();
        // Of the other places taken, those whose guests are awake are already counted by their engine's list.
        const others = [...this.#begun].filter(
          (one) => one !== own && (id === undefined || one.id !== id) && !awake.some(isOf(one.id)),
        );
        if (limit !== undefined && limit - awake.length - others.length < place) throw waits(place, limit);
        const person = known?.person ?? asked;
        if (each !== undefined) checkEach(each, person, [...awake, ...others]);
        own.person = person;
      }
      if (who !== undefined) this.#line.delete(who);
      return release;
    } catch (error) {
      release();
      // This caller is not waiting for a place, so it must not hold up the queue.
      if (who !== undefined && toHandrailError(error).details?.reason !== "capacity") this.#line.delete(who);
      throw error;
    }
  }

  /** Adds the cost of the guests since the last call. */
  spend(dollarsPerHour: number): void {
    const { spent } = this;
    // The wall clock only tells the day. Costs are measured by the monotonic clock, so that setting the clock
    // costs nothing.
    const at = this.#clocks.elapsed();
    const day = Math.floor(this.#clocks.now() / dayMs);
    if (day !== spent.day) Object.assign(spent, { day, dollars: 0, until: at });
    spent.dollars += (dollarsPerHour * (at - spent.until)) / hourMs;
    spent.until = at;
  }

  get report(): PlaceReport {
    return { waiting: this.#line.size, spentToday: this.spent.dollars };
  }

  /** The position in the queue, from 1. A caller without a name comes last, and others do not wait for it. */
  #placeOf(who: string | undefined): number {
    const at = this.#clocks.elapsed();
    for (const [name, askedAt] of this.#line) if (at - askedAt > patienceMs) this.#line.delete(name);
    if (who === undefined) return this.#line.size + 1;
    this.#line.set(who, at);
    return [...this.#line.keys()].indexOf(who) + 1;
  }

  #dropAbandoned(): void {
    const at = this.#clocks.elapsed();
    for (const one of this.#begun) if (at - one.at >= this.#begunMs) this.#begun.delete(one);
  }

  #usedUp(budget: number): HandrailError {
    const retryAfterSeconds = Math.ceil((dayMs - (this.#clocks.now() % dayMs)) / 1_000);
    return new HandrailError(
      "rate_limited",
      `Today's budget for sandboxes, $${budget}, is used up. They start again after midnight UTC (HANDRAIL_GUEST_BUDGET).`,
      { retryable: false, details: { reason: "budget", retryAfterSeconds } },
    );
  }
}

/** Throws if the person has as many guests awake as one person may have. */
function checkEach(each: number, person: string, all: readonly { person?: string }[]): void {
  const own = all.filter((one) => one.person === person);
  if (own.length < each) return;
  throw new HandrailError(
    "rate_limited",
    `You have ${own.length} sandboxes awake, and may have ${each}. Continue in one of them, or wait until one that is not used goes to sleep.`,
    { details: { reason: "person", retryAfterSeconds: ownAgainSeconds } },
  );
}

function waits(place: number, limit: number): HandrailError {
  return new HandrailError(
    "rate_limited",
    `All ${limit} sandboxes that may be awake at once are. You are number ${place} in line.`,
    { details: { reason: "capacity", place, retryAfterSeconds: askAgainSeconds } },
  );
}
