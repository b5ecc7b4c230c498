// An engine whose guests are sandbox servers in the test's own process, each with its own state folder, to
// test what the edge does with engines. It can be slow or away, or lose a guest, when told to.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Endpoint, Engine, EngineContext, FoundGuest } from "../../functions/engines/engine.ts";
import { type RunningServer, startServer } from "../../sandbox/server.ts";
import { HandrailError } from "../../shared/errors.ts";

interface FakeGuest {
  name: string;
  state: string;
  workspace: string;
  createdAt: number;
  person: string | undefined;
  kept: boolean;
  server?: RunningServer;
}

export class GuestEngine {
  readonly guests = new Map<string, FakeGuest>();
  readonly calls: string[] = [];
  /** Awaited before a guest starts. */
  beforeStart: () => Promise<void> = async () => undefined;
  /** Awaited while an image is tried. The trial fails if this rejects. */
  beforeTry: () => Promise<void> = async () => undefined;
  away = false;
  /** A new guest ends at once. */
  falls = false;
  /** Waking a guest makes it again if it was removed meanwhile. */
  makesAgain = false;
  /** The port of the next guest; 0 = a free one. */
  port = 0;
  costPerHour: number | undefined;
  /** The images in which guests may be made again, and the image of each guest. */
  images: string[] = [];
  readonly given = new Map<string, string>();
  /** Guests that ended without being saved, with the time of the copy that is left of each. */
  readonly copies = new Map<string, number>();
  /** The next wake reports that everything written after this time is lost. */
  lostSince: number | undefined;
  #folder: Promise<string> | undefined;

  /** Pass it to the edge as its platform. */
  get platform() {
    return { loadEngine: async (_: string, context: EngineContext) => this.#engine(context) };
  }

  /** Ends the guest as in a power failure. Its folder stays. */
  async kill(name: string): Promise<void> {
    const guest = this.guests.get(name);
    await guest?.server?.close();
    delete guest?.server;
  }

  async close(): Promise<void> {
    for (const name of [...this.guests.keys()]) await this.kill(name);
    const folder = await this.#folder;
    if (folder) await rm(folder, { recursive: true, force: true });
  }

  /** Made once, even for several requests at the same time. */
  #home(): Promise<string> {
    const home = this.#folder ?? mkdtemp(join(tmpdir(), "handrail-guests-"));
    this.#folder = home;
    return home;
  }

  #engine(context: EngineContext): Engine {
    const step = (what: string) => {
      this.calls.push(what);
      if (this.away) throw new HandrailError("sandbox_unreachable", "The engine does not answer.");
    };
    const endpointOf = async ({ name, server }: FakeGuest): Promise<Endpoint> => ({
      url: `http://127.0.0.1:${server?.port}`,
      headers: { authorization: `Bearer ${await context.tokenOf(name)}` },
    });
    const start = async (guest: FakeGuest): Promise<Endpoint> => {
      await this.beforeStart();
      guest.server ??= await startServer({
        ...{
          token: await context.tokenOf(guest.name),
          workspace: undefined,
          state: guest.state,
          port: this.port,
        },
        ...{ host: "127.0.0.1", network: "none", networkHosts: [], privateSources: true, tools: "none" },
        ...{ commandBytes: 1024 ** 3, diskQuotaBytes: 0 },
      });
      return endpointOf(guest);
    };
    const remove = async (name: string) => {
      step("remove");
      await this.kill(name);
      const state = this.guests.get(name)?.state;
      if (state) await rm(state, { recursive: true, force: true });
      this.guests.delete(name);
    };
    const { costPerHour } = this;
    return {
      name: "docker",
      ...(costPerHour === undefined ? {} : { costPerHour }),
      create: async ({ name, workspace, person }) => {
        step("create");
        const state = join(await this.#home(), name);
        await mkdir(state, { recursive: true });
        const existed = this.guests.has(name);
        const guest = this.guests.get(name) ?? {
          name,
          state,
          workspace,
          createdAt: context.now(),
          person,
          kept: false,
        };
        this.guests.set(name, guest);
        const endpoint = await start(guest);
        if (this.falls) await this.kill(name);
        return { guest: name, endpoint, takeBack: async () => void (existed || (await remove(name))) };
      },
      keep: async (name) => {
        const guest = this.guests.get(name);
        if (guest) guest.kept = true;
      },
      find: async (name): Promise<FoundGuest> => {
        step("find");
        const guest = this.guests.get(name);
        if (!guest) return { state: "gone" };
        const snapshotAt = this.copies.get(name);
        if (!guest.server && snapshotAt !== undefined) return { state: "gone", snapshotAt };
        if (!guest.server) return { state: "asleep" };
        const image = this.given.get(name);
        return { state: "ready", endpoint: await endpointOf(guest), ...(image && { image }) };
      },
      wake: async (name) => {
        step("wake");
        const guest = this.guests.get(name);
        if (!guest) throw new HandrailError("not_found", "It is gone.");
        const { lostSince } = this;
        const endpoint = await start(guest);
        if (this.makesAgain) this.guests.set(name, guest);
        return { ...endpoint, ...(lostSince === undefined ? {} : { lostSince }) };
      },
      images: {
        own: "ours",
        mayBe: (image) => this.images.includes(image),
        try: async () => {
          step("try");
          await this.beforeTry();
          return undefined;
        },
        use: async (name, image) => {
          step("use");
          const guest = this.guests.get(name);
          if (!guest) throw new HandrailError("not_found", "It is gone.");
          await this.kill(name);
          this.given.set(name, image);
          return start(guest);
        },
      },
      sleep: async (name) => {
        step("sleep");
        await this.kill(name);
      },
      remove,
      list: async () => {
        step("list");
        return [...this.guests.values()].map(({ name, workspace, createdAt, person, server }) => ({
          ...{ guest: name, workspace, createdAt, ...(person && { person }) },
          state: server ? ("ready" as const) : ("asleep" as const),
        }));
      },
    };
  }
}
