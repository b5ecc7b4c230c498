// Guests by state, and what they cost: for GET /api/metrics.
import type { GuestCounts } from "../../shared/api.ts";
import type { GuestState } from "./engine.ts";
import type { Guests } from "./shared-guests.ts";

/** Asks each engine for its list. */
export async function countGuests({ engines, capacity }: Guests): Promise<GuestCounts> {
  const states: Record<GuestState, number> = { ready: 0, starting: 0, asleep: 0, gone: 0 };
  let dollarsPerHour = 0;
  for (const engine of await engines()) {
    for (const { state } of await engine.list()) {
      states[state] += 1;
      if (state === "ready" || state === "starting") dollarsPerHour += engine.costPerHour ?? 0;
    }
  }
  return { states, dollarsPerHour, ...capacity.report() };
}
