// A guest's Durable Object with a fake container: the state of the disk when something fails between waking
// and sleeping.
import { beforeEach, expect, test } from "vitest";
import { GuestObject } from "../../../functions/engines/cloudflare/guest-object.ts";
import { GuestPlaces } from "../../../functions/engines/cloudflare/guest-places.ts";
import { answerGuest } from "../../../functions/engines/cloudflare/guest-routes.ts";
import type { GuestSite } from "../../../functions/engines/cloudflare/guest-site.ts";
import { gate } from "../../harness/gate.ts";

const minute = 60_000;
const wanted = { name: "g1", token: "token", network: "none" as const, workspace: "shop" };

/** A fake container. Its disk is a text, and our server in it appends what is posted. */
class PlayedContainer {
  running = false;
  disk = "";
  busy = false;
  beforePack: () => Promise<void> = async () => undefined;
  endures = false;

  start() {
    this.running = true;
    this.disk = "";
  }
  async exec([, , script = ""]: string[], { stdin }: { stdin?: ReadableStream } = {}) {
    if (script.includes("-czf")) await this.beforePack();
    if (script.includes("-xzf")) this.disk = await new Response(stdin).text();
    let printed = "";
    if (script.includes("-czf")) printed = `${this.disk.length}\n`;
    else if (script.startsWith("cat ")) printed = this.disk;
    else if (script.includes("PPid")) printed = this.busy ? "busy\n" : "";
    return { stdout: new Response(printed).body, exitCode: Promise.resolve(0) };
  }
  getTcpPort() {
    const answer = async (request: Request) => {
      if (request.method === "POST") this.disk += await request.text();
      return new Response(this.disk);
    };
    return { fetch: answer as typeof fetch };
  }
  async setInactivityTimeout(_ms: number) {}
  async snapshotContainer(): Promise<never> {
    throw new Error("snapshots are not available");
  }
  async destroy() {
    if (this.endures) throw new Error("the container could not be destroyed");
    this.running = false;
  }
}

let container: PlayedContainer;
let guest: GuestObject;
let site: GuestSite;
let now: number;
let bucketFails: boolean;
let listFails: boolean;
/** When the next alarm is due. */
let alarmAt: number | undefined;
/** The guest's state in the list of all guests. */
let listed: string | undefined;
const archives = new Map<string, string>();

beforeEach(async () => {
  container = new PlayedContainer();
  now = 0;
  bucketFails = false;
  listFails = false;
  alarmAt = undefined;
  listed = undefined;
  archives.clear();
  const stored = new Map<string, unknown>();
  site = {
    container: () => container,
    storage: {
      get: async <T>(key: string) => stored.get(key) as T | undefined,
      put: async (key, value) => void stored.set(key, value),
      list: async <T>() => new Map<string, T>(),
      delete: async (key) => stored.delete(key),
      setAlarm: async (at) => {
        alarmAt = at;
      },
      deleteAlarm: async () => {
        alarmAt = undefined;
      },
      deleteAll: async () => stored.clear(),
    },
    bucket: {
      put: async (key, body) => archives.set(key, await new Response(body).text()),
      get: async (key) => {
        if (bucketFails) throw new Error("R2 does not answer");
        const { body } = new Response(archives.get(key));
        return body && { body };
      },
      delete: async (key) => void archives.delete(key),
    },
    note: async (_, state) => {
      if (listFails) throw new Error("the list does not answer");
      listed = state;
    },
    log: () => undefined,
    server: { text: "the server", name: "sandbox.mjs" },
    now: () => now,
    idleMs: 15 * minute,
    image: "image-1",
    instance: "",
    ofLength: (_, stream) => stream,
  };
  guest = new GuestObject(site);
  await guest.create("owner", wanted);
  await guest.keep("owner");
});

async function send(method: string, body?: string): Promise<Response> {
  const request = new Request("http://guest/v1/x", { method, body: body ?? null });
  const answer = await answerGuest({ guest, places: new GuestPlaces(site), storage: site.storage }, request);
  return new Response(await answer.text(), { status: answer.status });
}
const awake = () => container.running;
/** Fires the platform's alarm, which is then no longer set. */
async function alarm(): Promise<void> {
  expect(alarmAt).toBeDefined();
  now = Math.max(now, alarmAt ?? now);
  alarmAt = undefined;
  await guest.alarm();
}

test("a wake that fails half-way leaves the copy unchanged, and the next one restores it", async () => {
  await send("POST", "work");
  await guest.sleep("owner");
  bucketFails = true;
  await expect(guest.wake("owner", "token")).rejects.toThrow("R2 does not answer");
  expect(await guest.status("owner")).toEqual({ state: "asleep" });
  now += 60 * minute;
  await guest.alarm();
  await guest.sleep("owner");
  bucketFails = false;
  await guest.wake("owner", "token");
  expect(await (await send("GET")).text()).toBe("work");
});

test("a container whose object ended in the middle of a wake is started again, and never used half-restored", async () => {
  await send("POST", "work");
  await guest.sleep("owner");
  const record = await site.storage.get<object>("guest");
  container.start();
  await site.storage.put("guest", { ...record, awake: true, restored: false });
  guest = new GuestObject(site);
  now += 60 * minute;
  await guest.alarm();
  expect([...archives.values()]).toEqual(["work"]);
  container.start();
  await guest.wake("owner", "token");
  expect(await (await send("GET")).text()).toBe("work");
});

test("a request sent while the disk is being saved does not arrive, and does after the wake", async () => {
  await send("POST", "work");
  const packing = gate();
  const begun = gate();
  container.beforePack = () => {
    begun.open();
    return packing.passed;
  };
  const asleep = guest.sleep("owner");
  await begun.passed;
  expect((await send("POST", " and more")).status).toBe(503);
  packing.open();
  await asleep;
  await guest.wake("owner", "token");
  expect((await send("POST", " and more")).status).toBe(200);
  expect(container.disk).toBe("work and more");
});

test("looking at a guest does not keep it awake, and changing something does", async () => {
  now += 10 * minute;
  await send("POST", "work");
  now += 10 * minute;
  await send("GET");
  await guest.alarm();
  expect(awake()).toBe(true);
  now += 10 * minute;
  await guest.alarm();
  expect(awake()).toBe(false);
});

test("a guest with a background command stays awake until the command has ended", async () => {
  container.busy = true;
  now += 60 * minute;
  await guest.alarm();
  expect(awake()).toBe(true);
  container.busy = false;
  await guest.alarm();
  expect(awake()).toBe(false);
});

test("a container that ended by itself is looked at until the list shows it", async () => {
  await guest.sleep("owner");
  await guest.wake("owner", "token");
  container.running = false;
  listFails = true;
  await alarm();
  await alarm();
  expect(listed).toBe("ready");
  listFails = false;
  await alarm();
  expect([listed, alarmAt]).toEqual(["gone", undefined]);
});

test("a guest that was put to sleep while the list did not answer is counted as asleep later", async () => {
  listFails = true;
  await expect(guest.sleep("owner")).rejects.toThrow("the list does not answer");
  await alarm();
  listFails = false;
  await alarm();
  expect([awake(), listed, alarmAt]).toEqual([false, "asleep", undefined]);
});

test("a guest that ended by itself and cannot be woken is not counted as awake", async () => {
  await guest.sleep("owner");
  await guest.wake("owner", "token");
  container.running = false;
  bucketFails = true;
  await expect(guest.wake("owner", "token")).rejects.toThrow("R2 does not answer");
  expect([awake(), listed]).toEqual([false, "gone"]);
});

test("a guest that the list cannot count is not started", async () => {
  await guest.sleep("owner");
  listFails = true;
  await expect(guest.wake("owner", "token")).rejects.toThrow("the list does not answer");
  expect(awake()).toBe(false);
  listFails = false;
  await alarm();
  expect(listed).toBe("asleep");
});

test("a container that cannot be ended keeps running, and what it loses later is reported as lost", async () => {
  container.endures = true;
  await expect(guest.sleep("owner")).rejects.toThrow("could not be destroyed");
  expect((await send("POST", "work")).status).toBe(200);
  container.running = false;
  expect(await guest.status("owner")).toEqual({ state: "gone", snapshotAt: 0 });
});

test("an object that restarts beside a running container counts it as awake, though its timeout cannot be set", async () => {
  await guest.sleep("owner");
  await guest.wake("owner", "token");
  // Simulates a death between saving the disk and ending the container.
  const record = await site.storage.get<object>("guest");
  await site.storage.put("guest", { ...record, awake: false });
  container.setInactivityTimeout = () => Promise.reject(new Error("not now"));
  guest = new GuestObject(site);
  await guest.resume();
  container.running = false;
  expect(await guest.status("owner")).toEqual({ state: "gone", snapshotAt: 0 });
});

test("a creation that fails late removes its guest, unless another one has requested it too", async () => {
  const other = { ...wanted, name: "g2" };
  await guest.remove("owner");
  await guest.create("owner", other);
  await guest.takeBack("owner");
  expect([awake(), listed]).toEqual([false, undefined]);
  await guest.create("owner", other);
  expect(await guest.create("owner", other)).toEqual({ existed: true });
  await guest.takeBack("owner");
  expect([awake(), listed]).toEqual([true, "ready"]);
  // No session was made in it, so it is a leftover.
  now += 11 * minute;
  await alarm();
  expect([awake(), listed]).toEqual([false, undefined]);
});
