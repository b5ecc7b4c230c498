// The tests of the engines' contract (functions/engines/engine.ts), which a new engine must pass.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Endpoint, Engine } from "../../../functions/engines/engine.ts";
import {
  clientOf,
  type EngineSite,
  type GuestEngine,
  newSpec,
  openEngine,
  openSite,
} from "../../harness/engine-stage.ts";

/**
 * `open`: opens the place of its guests. `title`: distinguishes this place from the usual one, whose tests
 * are not all `long`.
 */
export function describeEngine(name: GuestEngine, open = () => openSite(name), title = ""): void {
  const isLong = name === "docker" || title !== "";
  describe(`guests of ${name}${title}`, { tags: isLong ? "long" : [] }, () => {
    let site: EngineSite | undefined;
    let engine: Engine;
    const made: string[] = [];
    beforeAll(async () => {
      site = await open();
      engine = await openEngine(name, site);
    }, 900_000);
    afterAll(async () => {
      for (const guest of made) await engine?.remove(guest);
      await site?.close();
    });
    const edge = (secret?: string) => {
      if (!site) throw new Error("the site is not open");
      return openEngine(name, site, secret === undefined ? {} : { secret });
    };
    const create = async (spec = newSpec()) => {
      const guest = await engine.create(spec);
      made.push(guest.guest);
      return guest;
    };

    test("a new guest runs our sandbox server, which accepts the token of its endpoint and no other", async () => {
      const { guest, endpoint } = await create();
      expect(guest).toMatch(/^[A-Za-z0-9_-]{1,80}$/);
      expect((await ask(endpoint, "/capabilities")).status).toBe(200);
      const headers = { ...endpoint.headers, authorization: "Bearer another-token-of-thirty-two-characters" };
      expect((await ask({ ...endpoint, headers }, "/capabilities")).status).toBe(401);
    });

    test("two creations with one name make one guest", {
      tags: name === "cloudflare" ? "long" : [],
    }, async () => {
      const spec = newSpec();
      const first = await create(spec);
      expect((await (await edge()).create(spec)).guest).toBe(first.guest);
      expect((await engine.list()).filter(({ guest }) => guest === first.guest)).toHaveLength(1);
    });

    test("a creation that fails leaves an existing guest alone", {
      tags: name === "cloudflare" ? "long" : [],
    }, async () => {
      const spec = newSpec();
      const { guest } = await create(spec);
      await engine.keep?.(guest);
      await expect(engine.create(spec, AbortSignal.abort())).rejects.toThrow();
      expect((await engine.find(guest)).state).toBe("ready");
    });

    test("another edge with the same secret finds it, and one with another secret does not", {
      tags: name === "cloudflare" ? "long" : [],
    }, async () => {
      const { guest } = await create();
      const found = await (await edge()).find(guest);
      expect(found.state).toBe("ready");
      if (found.state === "ready") expect((await ask(found.endpoint, "/capabilities")).status).toBe(200);
      const stranger = await edge("a secret of somebody else");
      expect(await stranger.find(guest)).toEqual({ state: "gone" });
      expect(await stranger.list()).toEqual([]);
      await stranger.sleep(guest);
      await stranger.remove(guest);
      expect((await engine.find(guest)).state).toBe("ready");
    });

    test("what was written before a sleep is there after each wake", {
      tags: name === "cloudflare" ? "long" : [],
    }, async () => {
      const { guest, endpoint } = await create();
      const { id } = await clientOf(endpoint).create({ source: { sample: true } });
      // Otherwise it is a leftover, which may be removed as soon as it sleeps.
      await engine.keep?.(guest);
      for (const round of [1, 2, 3]) {
        const { endpoint: before } = await ready(engine, guest);
        const write = { command: `echo kept > round-${round}.txt` };
        expect((await clientOf(before).call(id, "exec", write)).ok).toBe(true);
        await engine.sleep(guest);
        expect((await engine.find(guest)).state).toBe("asleep");
        await engine.sleep(guest);
        const [woken] = await Promise.all([engine.wake(guest), engine.wake(guest)]);
        expect(woken.lostSince).toBeUndefined();
        const client = clientOf(woken);
        expect((await client.get(`/sandboxes/${id}`)).status).toBe(200);
        for (let earlier = 1; earlier <= round; earlier += 1)
          expect((await client.get(`/sandboxes/${id}/file?path=round-${earlier}.txt`)).status).toBe(200);
      }
    });

    test("a call that was acknowledged before a sleep is not run again after it", async () => {
      const { guest, endpoint } = await create();
      const client = clientOf(endpoint);
      const { id } = await client.create({ source: { sample: true } });
      await engine.keep?.(guest);
      const call = { key: "once", op: "exec" as const, args: { command: "echo line >> log.txt" } };
      await client.results(id, { access: "write", calls: [call] });
      await engine.sleep(guest);
      const after = clientOf(await engine.wake(guest));
      await after.results(id, { access: "write", calls: [call] });
      expect((await after.get(`/sandboxes/${id}/file?path=log.txt`)).body).toBe("line\n");
    });

    test("lists say what is asleep, and under which name people know it", {
      tags: name === "cloudflare" ? "long" : [],
    }, async () => {
      const { guest } = await create();
      await engine.keep?.(guest);
      await engine.sleep(guest);
      const listed = (await engine.list()).find((each) => each.guest === guest);
      expect(listed).toMatchObject({ state: "asleep", workspace: "sample project" });
      expect(listed?.createdAt).toBeGreaterThan(Date.now() - 3_600_000);
    });

    test("a guest that two edges remove at once is gone for both, and every call on it may be repeated", async () => {
      const { guest } = await create();
      const edges = [engine, await edge()];
      const removals = edges.map(async (one) => {
        await one.remove(guest);
        return one.find(guest);
      });
      expect(await Promise.all(removals)).toEqual([{ state: "gone" }, { state: "gone" }]);
      await engine.remove(guest);
      await engine.sleep(guest);
      expect(await engine.find(guest)).toEqual({ state: "gone" });
      await expect(engine.wake(guest)).rejects.toMatchObject({ code: "not_found" });
      expect((await engine.list()).map((each) => each.guest)).not.toContain(guest);
    });

    test("a guest that never existed is gone", async () => {
      expect(await engine.find("never-made")).toEqual({ state: "gone" });
      await engine.sleep("never-made");
      await expect(engine.wake("never-made")).rejects.toMatchObject({ code: "not_found" });
    });

    test("a guest in use is left alone when idle ones are put to sleep", {
      tags: name === "cloudflare" ? "long" : [],
    }, async () => {
      const { guest } = await create();
      await engine.tend?.();
      expect((await engine.find(guest)).state).toBe("ready");
    });
  });
}

async function ready(engine: Engine, guest: string): Promise<{ endpoint: Endpoint }> {
  const found = await engine.find(guest);
  if (found.state !== "ready") throw new Error(`the guest is ${found.state}`);
  return found;
}

function ask(endpoint: Endpoint, path: string): Promise<Response> {
  return (endpoint.fetch ?? fetch)(`${endpoint.url}/v1${path}`, { headers: endpoint.headers });
}
