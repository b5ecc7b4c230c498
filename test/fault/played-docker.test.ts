// Hundreds of deaths on a fake Docker engine rely on two facts: an engine is alone with its guests, and
// starts each of them once.
import { afterEach, beforeEach, expect, test } from "vitest";
import { type GuestWorld, playedWorld } from "./guest-world.ts";

const spec = { name: "one", network: "none", workspace: "sample project" } as const;
let worlds: GuestWorld[];

beforeEach(async () => {
  worlds = [await playedWorld(), await playedWorld()];
  for (const world of worlds) await (await world.engine()).create(spec);
});
afterEach(() => Promise.all(worlds.map((world) => world.close())));

test("a guest's death leaves the guests of other engines alone", async () => {
  const [dying, other] = worlds;
  await dying?.killGuest();
  expect(await (await dying?.engine())?.find(spec.name)).toEqual({ state: "asleep" });
  expect(await (await other?.engine())?.find(spec.name)).toMatchObject({ state: "ready" });
});

test("edges that wake a dying guest at the same time find one server", async () => {
  const [world] = worlds;
  if (!world) throw new Error("no world");
  const engines = [await world.engine(), await world.engine(), await world.engine()];
  const death = world.killGuest();
  await Promise.all(engines.map((engine) => engine.wake(spec.name)));
  await death;
  const woken = await Promise.all(engines.map((engine) => engine.wake(spec.name)));
  expect(new Set(woken.map(({ url }) => url)).size).toBe(1);
});
