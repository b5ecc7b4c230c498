// Gives out places for an owner's guests and adds up their cost, for all isolates of the edge. It runs in the
// one object that lists the guests. The cost of the day is stored. The queue is not, because waiting callers
// ask again.
import { sandboxIdOf } from "../guest-id.ts";
import {
  type AskedPlace,
  type DaySpending,
  type PlaceCount,
  PlaceKeeper,
  type PlaceReport,
  type SeenGuests,
} from "../place-keeper.ts";
import { type GuestRow, rowsPrefix, type TakenPlace } from "./guest-record.ts";
import type { GuestSite } from "./guest-site.ts";

/**
 * A guest needs less time than this to get into the list. A caller that has not given its place back by then
 * has died.
 */
const begunMs = 120_000;

export class GuestPlaces {
  readonly #site: Pick<GuestSite, "storage" | "now">;
  readonly #byOwner = new Map<string, PlaceKeeper>();
  readonly #taken = new Map<string, { release(): void; at: number }>();

  constructor(site: Pick<GuestSite, "storage" | "now">) {
    this.#site = site;
  }

  async take(
    owner: string,
    { asked, limits, ...count }: PlaceCount & { asked: AskedPlace },
  ): Promise<TakenPlace> {
    const places = await this.#of(owner);
    const at = this.#site.now();
    try {
      const release = await places.take(asked, limits, () => this.#seen(owner, count));
      for (const [key, taken] of this.#taken) if (at - taken.at > begunMs) this.#taken.delete(key);
      const key = crypto.randomUUID();
      this.#taken.set(key, { release, at });
      return { key };
    } finally {
      await this.#store(owner, places);
    }
  }

  release(key: string): void {
    this.#taken.get(key)?.release();
    this.#taken.delete(key);
  }

  async report(owner: string, count: PlaceCount): Promise<PlaceReport> {
    const places = await this.#of(owner);
    places.spend((await this.#seen(owner, count)).dollarsPerHour);
    await this.#store(owner, places);
    return places.report;
  }

  async #seen(owner: string, { costPerHour, others }: Omit<PlaceCount, "limits">): Promise<SeenGuests> {
    const rows = await this.#site.storage.list<GuestRow>({ prefix: rowsPrefix(owner) });
    const own = [...rows.values()].map(({ guest, state, person = "" }) => ({
      ids: [sandboxIdOf({ engine: "cloudflare", guest })],
      isAwake: state === "ready",
      person,
    }));
    const awake = own.filter(({ isAwake }) => isAwake).length;
    return {
      guests: [...own, ...others.guests],
      dollarsPerHour: others.dollarsPerHour + awake * costPerHour,
    };
  }

  async #of(owner: string): Promise<PlaceKeeper> {
    const spent = await this.#site.storage.get<DaySpending>(spentKey(owner));
    const { now } = this.#site;
    // Other requests may have made it in the meantime.
    const places =
      this.#byOwner.get(owner) ??
      new PlaceKeeper({ now, elapsed: now }, { begunMs, ...(spent ? { spent } : {}) });
    this.#byOwner.set(owner, places);
    return places;
  }

  async #store(owner: string, { spent }: PlaceKeeper): Promise<void> {
    await this.#site.storage.put(spentKey(owner), spent);
  }
}

function spentKey(owner: string): string {
  return `spent ${owner}`;
}
