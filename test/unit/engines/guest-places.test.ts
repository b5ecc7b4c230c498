// The object that lists the guests of Cloudflare counts places and costs for all isolates of the edge.
import { beforeEach, expect, test } from "vitest";
import { GuestPlaces } from "../../../functions/engines/cloudflare/guest-places.ts";
import { type GuestRow, rowsPrefix } from "../../../functions/engines/cloudflare/guest-record.ts";
import type { GuestSite } from "../../../functions/engines/cloudflare/guest-site.ts";

const hour = 3_600_000;
const day = 24 * hour;
const others = { guests: [], dollarsPerHour: 0 };
let now: number;
let stored: Map<string, unknown>;
let places: GuestPlaces;

/** Makes the object anew, as the platform does when it starts it again. */
function restarted(): GuestPlaces {
  const storage: Pick<GuestSite, "storage">["storage"] = {
    get: async <T>(key: string) => structuredClone(stored.get(key)) as T | undefined,
    put: async (key, value) => void stored.set(key, structuredClone(value)),
    list: async <T>({ prefix }: { prefix: string }) =>
      new Map([...stored].filter(([key]) => key.startsWith(prefix)) as [string, T][]),
    delete: async (key) => stored.delete(key),
    setAlarm: async () => undefined,
    deleteAlarm: async () => undefined,
    deleteAll: async () => undefined,
  };
  return new GuestPlaces({ storage, now: () => now });
}

beforeEach(() => {
  now = 30 * day;
  stored = new Map();
  places = restarted();
});

const take = (who: string, limits: Record<string, number>, person = "") =>
  places.take("us", {
    ...{ limits, costPerHour: 1, others },
    asked: { who, id: `cloudflare--${who}`, person },
  });
function list(guest: string, state: GuestRow["state"], person?: string): void {
  const row: GuestRow = { guest, state, createdAt: now, workspace: "shop", ...(person ? { person } : {}) };
  stored.set(rowsPrefix("us") + guest, row);
}
const refused = (reason: string) => ({ code: "rate_limited", details: { reason } });

test("a place that was given is taken until it is given back, and its guest is in the list by then", async () => {
  const { key } = await take("a", { limit: 1 });
  await expect(take("b", { limit: 1 })).rejects.toMatchObject(refused("capacity"));
  list("a", "ready");
  places.release(key);
  await expect(take("b", { limit: 1 })).rejects.toMatchObject(refused("capacity"));
  list("a", "asleep");
  await take("b", { limit: 1 });
});

test("a place of an isolate that died before it gave it back is free after two minutes", async () => {
  await take("a", { limit: 1 });
  now += 119_000;
  await expect(take("b", { limit: 1 })).rejects.toMatchObject(refused("capacity"));
  now += 1_000;
  await take("b", { limit: 1 });
});

test("guests of one person count together, those of another and of another owner do not", async () => {
  await take("a", { each: 1 }, "ada");
  await expect(take("b", { each: 1 }, "ada")).rejects.toMatchObject(refused("person"));
  await take("c", { each: 1 }, "bob");
  const asked = { who: "d", id: "cloudflare--d", person: "ada" };
  await places.take("them", { asked, limits: { each: 1 }, costPerHour: 1, others });
});

test("what a day has cost outlives the object, and the next day begins with nothing", async () => {
  const limits = { budget: 3 };
  const report = () =>
    places.report("us", { limits, costPerHour: 1, others: { ...others, dollarsPerHour: 0.5 } });
  list("a", "ready");
  list("b", "asleep");
  expect(await report()).toMatchObject({ spentToday: 0 });
  now += hour;
  expect(await report()).toMatchObject({ spentToday: 1.5 });
  places = restarted();
  now += hour;
  expect(await report()).toMatchObject({ spentToday: 3 });
  await expect(take("c", limits)).rejects.toMatchObject({ ...refused("budget"), retryable: false });
  now += day;
  await take("c", limits);
});
