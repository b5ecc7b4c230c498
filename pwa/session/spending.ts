// The money spent on models, by day, and the person's limits: one small record in storage, and one signal for every
// session of this tab.

import { signal } from "@preact/signals";
import * as z from "zod/mini";
import type { Kv } from "../storage/kv.ts";

/**
 * Amounts are in US dollars, and a limit of null means none. Days are written `2026-11-20`, in the person's own time
 * zone.
 */
export const Spending = z.object({
  caps: z.object({ session: z.nullable(z.number()), day: z.nullable(z.number()) }),
  days: z.record(z.string(), z.number()),
  /** The newest answers that are already counted but that the server may send once more. */
  counted: z.optional(z.array(z.string())),
  /** The newest of these answers that this device has asked for. */
  asked: z.optional(z.array(z.string())),
  /** The limit for a turn while the person does not watch it; missing for the server's own. */
  alone: z.optional(
    z.object({
      rounds: z.optional(z.number()),
      minutes: z.optional(z.number()),
      spendLimit: z.optional(z.number()),
    }),
  ),
});
export type AloneLimit = keyof NonNullable<Spending["alone"]>;
export type Spending = z.infer<typeof Spending>;

export const noSpending: Spending = { caps: { session: null, day: null }, days: {} };

const key = "spending";
const daysKept = 31;
const answersKept = 20;

export function dayOf(now: number): string {
  const date = new Date(now);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
}

export async function readSpending(kv: Kv): Promise<Spending> {
  return parsed(await kv.get(key));
}

/** Changes the stored value, even if another tab wrote it, and returns the new one. */
export function changeSpending(kv: Kv, change: (spending: Spending) => Spending): Promise<Spending> {
  return kv.update(key, (old) => change(parsed(old)));
}

function parsed(stored: unknown): Spending {
  const spending = z.safeParse(Spending, stored);
  return spending.success ? spending.data : noSpending;
}

export function withCost(spending: Spending, day: string, cost: number): Spending {
  const days = { ...spending.days, [day]: (spending.days[day] ?? 0) + cost };
  const newest = Object.entries(days).sort().slice(-daysKept);
  return { ...spending, days: Object.fromEntries(newest) };
}

/** The limit for the cost of the next turn; undefined if there is none. */
export function leftToSpend({ caps, days }: Spending, day: string, inSession: number): number | undefined {
  const left = [
    ...(caps.session === null ? [] : [caps.session - inSession]),
    ...(caps.day === null ? [] : [caps.day - (days[day] ?? 0)]),
  ];
  return left.length === 0 ? undefined : Math.max(0, Math.min(...left));
}

export const spending = signal<Spending>(noSpending);

export async function loadSpending(kv: Kv): Promise<void> {
  spending.value = await readSpending(kv);
}

/** Counts `cost`, in US dollars. `answer` names the paid answer if the server may send it again; it is counted once. */
export async function addCost(kv: Kv, now: number, cost: number, answer?: string): Promise<void> {
  spending.value = await changeSpending(kv, (old) => {
    const { counted = [] } = old;
    if (answer === undefined) return withCost(old, dayOf(now), cost);
    if (counted.includes(answer)) return old;
    return { ...withCost(old, dayOf(now), cost), counted: [...counted, answer].slice(-answersKept) };
  });
}

/** Returns whether this device has asked for that answer before, and notes that it has now. */
export async function noteAsked(kv: Kv, answer: string): Promise<boolean> {
  let before = false;
  spending.value = await changeSpending(kv, (old) => {
    const { asked = [] } = old;
    before = asked.includes(answer);
    return before ? old : { ...old, asked: [...asked, answer].slice(-answersKept) };
  });
  return before;
}

export async function setCap(kv: Kv, of: "session" | "day", dollars: number | null): Promise<void> {
  const capped = (old: Spending) => ({ ...old, caps: { ...old.caps, [of]: dollars } });
  // A limit applies at once, even if storage does not take it.
  spending.value = capped(spending.value);
  spending.value = await changeSpending(kv, capped);
}

/** null means the server's own limit. */
export async function setAlone(kv: Kv, of: AloneLimit, most: number | null): Promise<void> {
  const limited = ({ alone: { [of]: _, ...others } = {}, ...rest }: Spending): Spending => {
    const alone = most === null ? others : { ...others, [of]: most };
    return Object.keys(alone).length === 0 ? rest : { ...rest, alone };
  };
  spending.value = limited(spending.value);
  spending.value = await changeSpending(kv, limited);
}

/** The limit for a turn that begins now in a session that has cost `inSession` so far; undefined if there is none. */
export function spendLimitNow(now: number, inSession: number): number | undefined {
  return leftToSpend(spending.value, dayOf(now), inSession);
}
