// Counts guests by state and adds up their cost, for GET /api/metrics.
import type { GuestCounts } from "../../shared/api.ts";
import type { GuestState } from "./engine.ts";
import type { Guests } from "./shared-guests.ts";

/** Asks each engine for its list. Engines that do not answer are left out. */
export async function countGuests({ lists, capacity }: Guests): Promise<GuestCounts> {
  const states: Record<GuestState, number> = { ready: 0, starting: 0, asleep: 0, gone: 0 };
  let dollarsPerHour = 0;
  for (const { engine, listed } of await lists()) {
    for (const { state } of listed) {
      states[state] += 1;
      if (state === "ready" || state === "starting") dollarsPerHour += engine.costPerHour ?? 0;
    }
  }
  return { states, dollarsPerHour, ...(await capacity.report()) };
}
