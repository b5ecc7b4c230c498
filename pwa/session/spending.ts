// What was spent today and the caps, as every session of this tab sees them.
import { signal } from "@preact/signals";
import type { Kv } from "../storage/kv.ts";
import {
  changeSpending,
  dayOf,
  leftToSpend,
  noSpending,
  readSpending,
  type Spending,
  withCost,
} from "../storage/spending.ts";

export const spending = signal<Spending>(noSpending);

export async function loadSpending(kv: Kv): Promise<void> {
  spending.value = await readSpending(kv);
}

/** `cost` in US dollars. */
export async function addCost(kv: Kv, now: number, cost: number): Promise<void> {
  spending.value = await changeSpending(kv, (old) => withCost(old, dayOf(now), cost));
}

export async function setCap(kv: Kv, of: "session" | "day", dollars: number | null): Promise<void> {
  const capped = (old: Spending) => ({ ...old, caps: { ...old.caps, [of]: dollars } });
  // At once: a cap holds also where storage does not take it.
  spending.value = capped(spending.value);
  spending.value = await changeSpending(kv, capped);
}

/** What a turn that begins now may cost, where the session has cost `inSession`; undefined without a cap. */
export function spendLimitNow(now: number, inSession: number): number | undefined {
  return leftToSpend(spending.value, dayOf(now), inSession);
}
