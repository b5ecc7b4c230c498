// A guest's Durable Object over a container that a test plays: what becomes of the disk when something goes wrong between
// waking and sleeping.
import { beforeEach, expect, test } from "vitest";
import { GuestObject } from "../../../functions/engines/cloudflare/guest-object.ts";
import { answerGuest } from "../../../functions/engines/cloudflare/guest-routes.ts";
import type { GuestSite } from "../../../functions/engines/cloudflare/guest-site.ts";
import { gate } from "../../harness/gate.ts";

const minute = 60_000;
const wanted = { name: "g1", token: "token", network: "none" as const, workspace: "shop" };

/** Its disk is a text; our server in it adds what is posted. */
class PlayedContainer {
  running = false;
  disk = "";
  busy = false;
  beforePack: () => Promise<void> = async () => undefined;

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
  async setInactivityTimeout() {}
  async snapshotContainer(): Promise<never> {
    throw new Error("snapshots are not available");
  }
  async destroy() {
    this.running = false;
  }
}

let container: PlayedContainer;
let guest: GuestObject;
let site: GuestSite;
let now: number;
let bucketFails: boolean;
const archives = new Map<string, string>();

beforeEach(async () => {
  container = new PlayedContainer();
  now = 0;
  bucketFails = false;
  archives.clear();
  const stored = new Map<string, unknown>();
  const nothing = async () => undefined;
  site = {
    container: () => container,
    storage: {
      get: async <T>(key: string) => stored.get(key) as T | undefined,
      put: async (key, value) => void stored.set(key, value),
      list: async <T>() => new Map<string, T>(),
      delete: async (key) => stored.delete(key),
      setAlarm: nothing,
      deleteAlarm: nothing,
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
    note: nothing,
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
  const answer = await answerGuest(guest, site.storage, request);
  return new Response(await answer.text(), { status: answer.status });
}
const awake = () => container.running;

test("a wake that fails half-way leaves the copy as it was, and the next one brings it back", async () => {
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

test("a container whose object ended in the middle of a wake is started again, and never kept as it is", async () => {
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

test("what is sent while the disk is being kept did not arrive, and does after the wake", async () => {
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

test("a guest whose command goes on in the background stays awake until it has ended", async () => {
  container.busy = true;
  now += 60 * minute;
  await guest.alarm();
  expect(awake()).toBe(true);
  container.busy = false;
  await guest.alarm();
  expect(awake()).toBe(false);
});
