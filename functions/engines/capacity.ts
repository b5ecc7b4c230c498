// How many guests may be awake, who waits for a place in which order, and what they cost today. Counted by this process:
// another one that works for the same engines counts by itself.
import { HandrailError } from "../../shared/errors.ts";
import type { Engine } from "./engine.ts";
import { numberOf } from "./guest-settings.ts";

export interface Capacity {
  /**
   * Takes a place for a guest that is to be awake; `who` is whoever asks again, by the same name. Throws `rate_limited`:
   * `details.place` is its place in line, from 1, which it keeps while it asks again in time.
   */
  admit(who: string): Promise<{ release(): void }>;
  /** Adds what the guests have cost since it was last called. */
  meter(): Promise<void>;
  report(): { waiting: number; limit?: number; spentToday?: number; budget?: number };
}

interface CapacityOptions {
  env: Readonly<Record<string, string | undefined>>;
  now(): number;
  engines(): Promise<Engine[]>;
}

/** Who does not ask again for so long has gone. */
const patienceMs = 30_000;
const askAgainSeconds = 5;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

export function createCapacity({ env, now, engines }: CapacityOptions): Capacity {
  const limit = numberOf(env, "HANDRAIL_GUEST_LIMIT", undefined, "how many guests may be awake at once");
  const budget = numberOf(
    env,
    "HANDRAIL_GUEST_BUDGET",
    undefined,
    "the US dollars that guests may cost a day",
  );
  /** In the order in which they came; when each asked last. */
  const line = new Map<string, number>();
  /** Places that were given to guests that are not awake yet. */
  let begun = 0;
  const spent = { day: -1, dollars: 0, until: 0 };

  const awake = async (): Promise<{ count: number; dollarsPerHour: number }> => {
    const each = await Promise.all(
      (await engines()).map(async (engine) => {
        const count = (await engine.list()).filter(
          ({ state }) => state === "ready" || state === "starting",
        ).length;
        return { count, dollarsPerHour: count * (engine.costPerHour ?? 0) };
      }),
    );
    return each.reduce(
      (all, one) => ({
        count: all.count + one.count,
        dollarsPerHour: all.dollarsPerHour + one.dollarsPerHour,
      }),
      { count: 0, dollarsPerHour: 0 },
    );
  };

  async function meter(): Promise<void> {
    if (budget === undefined) return;
    const { dollarsPerHour } = await awake();
    const at = now();
    const day = Math.floor(at / dayMs);
    if (day !== spent.day) Object.assign(spent, { day, dollars: 0, until: at });
    spent.dollars += (dollarsPerHour * Math.max(0, at - spent.until)) / hourMs;
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

  return {
    async admit(who) {
      await meter();
      checkBudget();
      if (limit !== undefined) {
        for (const [name, askedAt] of line) if (now() - askedAt > patienceMs) line.delete(name);
        line.set(who, now());
        const place = [...line.keys()].indexOf(who) + 1;
        // Taken before the engines are asked: two who ask at once do not get one place.
        begun += 1;
        const free = await awake().then(
          ({ count }) => limit - count - (begun - 1),
          (error: unknown) => {
            begun -= 1;
            throw error;
          },
        );
        if (free < place) {
          begun -= 1;
          throw waits(place, limit);
        }
        line.delete(who);
      }
      let held = limit !== undefined;
      return {
        release() {
          if (held) begun -= 1;
          held = false;
        },
      };
    },
    meter,
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
