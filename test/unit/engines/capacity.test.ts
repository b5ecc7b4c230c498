// Today's cost of the guests, and the queue for places, with a clock that jumps.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createCapacity } from "../../../functions/engines/capacity.ts";
import type { Engine, EnginePlatform, ListedGuest } from "../../../functions/engines/engine.ts";
import { spendingFile } from "../../../functions/node-spending.ts";

const hour = 3_600_000;
const nothing = async () => {
  throw new Error("nobody asks for this");
};
const one: ListedGuest = { guest: "one", state: "ready", createdAt: 0, workspace: "" };
const engine: Engine = {
  name: "docker",
  costPerHour: 1,
  create: nothing,
  find: nothing,
  wake: nothing,
  sleep: nothing,
  remove: nothing,
  list: async () => [one],
};

function opened(
  env: Record<string, string>,
  listed: readonly ListedGuest[] = [one],
  platform: EnginePlatform = {},
) {
  const clock = { now: 30 * 24 * hour, elapsed: 0 };
  const capacity = createCapacity({
    env,
    now: () => clock.now,
    elapsed: () => clock.elapsed,
    log: () => undefined,
    ...{ names: ["docker"], platform },
    engine: async () => ({ ...engine, list: async () => [...listed] }),
  });
  return { clock, capacity };
}

test("an hour that the wall clock jumps costs nothing, and an hour that passes does", async () => {
  const { clock, capacity } = opened({ HANDRAIL_GUEST_BUDGET: "10" });
  await capacity.meter();
  clock.now += 20 * hour;
  await capacity.meter();
  expect((await capacity.report()).spentToday).toBe(0);
  clock.now -= 10 * hour;
  clock.elapsed += hour;
  await capacity.meter();
  expect((await capacity.report()).spentToday).toBe(1);
});

test("a waiting request keeps its place while the wall clock jumps, and loses it by not asking again", async () => {
  const { clock, capacity } = opened({ HANDRAIL_GUEST_LIMIT: "1" });
  const placeOf = (who: string) =>
    capacity.admit({ who, id: undefined }).then(
      () => 0,
      (error: { details?: { place?: number } }) => error.details?.place,
    );
  expect([await placeOf("a"), await placeOf("b")]).toEqual([1, 2]);
  clock.now += 20 * hour;
  expect([await placeOf("b"), await placeOf("a")]).toEqual([2, 1]);
  clock.elapsed += 31_000;
  expect(await placeOf("b")).toBe(1);
});

test.each([
  [{ HANDRAIL_GUEST_LIMIT: "2", HANDRAIL_GUEST_LIMIT_EACH: "1" }, "person"],
  [{ HANDRAIL_GUEST_LIMIT: "2", HANDRAIL_GUEST_BUDGET: "0.5" }, "budget"],
])("a request refused for another reason than capacity is not queued (%o)", async (env, reason) => {
  const { clock, capacity } = opened(env);
  await capacity.meter();
  clock.elapsed += hour;
  await expect(capacity.admit({ who: "a", id: undefined })).rejects.toMatchObject({ details: { reason } });
  expect((await capacity.report()).waiting).toBe(0);
});

test.each([{ HANDRAIL_GUEST_LIMIT: "2" }, { HANDRAIL_GUEST_LIMIT_EACH: "2" }])(
  "a guest that is being created counts once, even when its engine lists it under another name (%o)",
  async (env) => {
    const listed: ListedGuest[] = [];
    const { capacity } = opened(env, listed);
    const ask = (who: string) => capacity.admit({ who, id: `docker--${who}`, person: "ada" });
    await ask("first");
    listed.push({ ...one, guest: "x1", name: "first", person: "ada" });
    await ask("second");
    await expect(ask("third")).rejects.toMatchObject({ code: "rate_limited" });
    listed.push({ ...one, guest: "x2", name: "second", person: "ada" });
    await expect(ask("third")).rejects.toMatchObject({ code: "rate_limited" });
  },
);

test("a repeated creation needs no second place, whatever its guest is called", async () => {
  const { capacity } = opened({ HANDRAIL_GUEST_LIMIT: "1" }, [{ ...one, guest: "x1", name: "first" }]);
  await capacity.admit({ who: "tap", id: "docker--first" });
  await expect(capacity.admit({ who: "other", id: "docker--second" })).rejects.toMatchObject({
    details: { reason: "capacity" },
  });
});

describe("processes that share one count", () => {
  const env = { HANDRAIL_GUEST_BUDGET: "10" };
  function group() {
    const listed = [one];
    let text: string | undefined;
    const spending = {
      isShared: true,
      load: async () => text,
      async store(next: string) {
        text = next;
      },
    };
    const begun: ReturnType<typeof opened>[] = [];
    return {
      listed,
      begin() {
        const process = opened(env, listed, { spending });
        Object.assign(process.clock, begun[0]?.clock);
        begun.push(process);
        return process.capacity;
      },
      pass(ms: number) {
        for (const { clock } of begun) {
          clock.now += ms;
          clock.elapsed += ms;
        }
      },
    };
  }

  test("add the time of a guest once, also when both count at once, and the time in which none of them ran", async () => {
    const { begin, pass } = group();
    const [first, second] = [begin(), begin()];
    await Promise.all([first.meter(), second.meter()]);
    pass(hour);
    await Promise.all([first.meter(), second.meter()]);
    expect([(await first.report()).spentToday, (await second.report()).spentToday]).toEqual([1, 1]);
    pass(hour);
    const third = begin();
    await third.meter();
    expect((await third.report()).spentToday).toBe(2);
  });

  test("do not count an hour in which another of them saw every guest asleep", async () => {
    const { listed, begin, pass } = group();
    const [first, second] = [begin(), begin()];
    await first.meter();
    pass(hour);
    await second.meter();
    listed.splice(0);
    await second.meter();
    pass(hour);
    await second.meter();
    listed.push(one);
    await first.meter();
    expect((await first.report()).spentToday).toBe(1);
  });
});

describe("the cost of a day that is kept in a file", () => {
  const env = { HANDRAIL_GUEST_BUDGET: "2" };
  let file: string;
  const restarted = () => opened(env, [one], { spending: spendingFile(file) });
  beforeEach(async () => {
    file = join(await mkdtemp(join(tmpdir(), "handrail-spent-")), "spent.json");
    const { clock, capacity } = restarted();
    await capacity.meter();
    clock.elapsed += 2 * hour;
    await capacity.meter();
  });
  afterEach(() => rm(dirname(file), { recursive: true }));

  test("is still used up after a restart, and the next day begins with nothing", async () => {
    const { clock, capacity } = restarted();
    expect((await capacity.report()).spentToday).toBe(2);
    const refused = { code: "rate_limited", details: { reason: "budget" } };
    await expect(capacity.admit({ who: "a" })).rejects.toMatchObject(refused);
    clock.now += 24 * hour;
    await capacity.admit({ who: "a" });
    expect((await capacity.report()).spentToday).toBe(0);
  });

  test("does not grow by the time in which nothing ran", async () => {
    const { clock, capacity } = restarted();
    clock.elapsed += 5 * hour;
    await capacity.meter();
    expect((await capacity.report()).spentToday).toBe(2);
  });

  test("begins with nothing where the file cannot be read, and the guest is made", async () => {
    await writeFile(file, "no JSON");
    const { capacity } = restarted();
    await capacity.admit({ who: "a" });
    expect((await capacity.report()).spentToday).toBe(0);
  });
});
