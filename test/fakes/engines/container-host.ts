// Runs the containers of a fake `ctx.container`: real processes, with a disk that is lost when they stop. The
// other half, with workerd's interface, is played-container.mjs. Each quirk of the platform is a switch.
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import * as z from "zod/mini";
import { PlayedGuest } from "./played-guest.ts";

export interface ContainerQuirks {
  /** A container loses its disk when it stops. This is the platform's usual behaviour. */
  losesDisk: boolean;
  /**
   * A restarted object has no inactivity timeout, whatever the previous one had set. This is the platform's
   * usual behaviour.
   */
  forgetsTimeout: boolean;
  /** How many requests to a port find no listener after each start. */
  notReadyFor: number;
  /** Snapshots fail, as under the scheduling policy `default` and in accounts without them. */
  noSnapshots: boolean;
  /** Snapshots of any image but this one cannot be restored. */
  onlyImage: string | undefined;
  /** No snapshot can be restored, because they last only 30 days. */
  snapshotsExpired: boolean;
}

const Start = z.object({
  entrypoint: z.tuple([z.string()], z.string()),
  env: z.record(z.string(), z.string()),
  enableInternet: z.boolean(),
  image: z.optional(z.string()),
  containerSnapshot: z.optional(z.object({ id: z.string() })),
});

interface Instance {
  guest: PlayedGuest;
  image: string;
  notReady: number;
}

export class ContainerHost {
  readonly quirks: ContainerQuirks;
  readonly running = new Map<string, Instance>();
  /** The timeout in milliseconds of each container for which it was set since its object was last started. */
  readonly timeouts = new Map<string, number>();
  /** The options of each start. */
  readonly starts: z.infer<typeof Start>[] = [];
  #homes: string | undefined;
  readonly #snapshots = new Map<string, { folder: string; image: string }>();
  readonly #server = createServer({ keepAliveTimeout: 0 }, (incoming, response) => {
    this.#answer(incoming, response).catch((error: unknown) => {
      response.writeHead(500);
      response.end(error instanceof Error ? error.message : "failed");
    });
  });

  private constructor(quirks: Partial<ContainerQuirks>) {
    this.quirks = {
      ...{ losesDisk: true, forgetsTimeout: true, notReadyFor: 0 },
      ...{ noSnapshots: false, onlyImage: undefined, snapshotsExpired: false },
      ...quirks,
    };
  }

  static async start(quirks: Partial<ContainerQuirks> = {}): Promise<ContainerHost> {
    const host = new ContainerHost(quirks);
    await new Promise<void>((done) => host.#server.listen(0, "127.0.0.1", done));
    return host;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Simulates a failure of the machine: its processes are gone, and usually its disk too, without notice. */
  async crash(name: string): Promise<void> {
    const instance = this.running.get(name);
    this.running.delete(name);
    await (this.quirks.losesDisk ? instance?.guest.end() : instance?.guest.kill());
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    for (const name of this.running.keys()) await this.crash(name);
    const folders = [...this.#snapshots.values()].map(({ folder }) => folder);
    for (const folder of [this.#homes, ...folders])
      if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, name = "", what = "", rest = ""] = /^\/([^/]+)\/([^/?]+)(.*)$/.exec(incoming.url ?? "") ?? [];
    if (what === "port") return this.#pass(name, rest.replace(/^\/\d+/, ""), incoming, response);
    const body = await buffer(incoming);
    if (what === "exec") return this.#exec(name, rest, body, response);
    response.end(JSON.stringify((await this.#obey(name, what, body.toString("utf8"))) ?? null));
  }

  async #obey(name: string, what: string, text: string): Promise<unknown> {
    if (what === "running") return this.running.has(name);
    if (what === "attach") {
      if (this.quirks.forgetsTimeout) this.timeouts.delete(name);
      return this.running.has(name);
    }
    if (what === "start") return this.#start(name, z.parse(Start, JSON.parse(text)));
    if (what === "destroy") return this.crash(name);
    if (what === "timeout") return void this.timeouts.set(name, Number(text));
    if (what === "snapshot") return this.#snapshot(name);
    throw new Error(`${what} is unknown`);
  }

  async #start(name: string, options: z.infer<typeof Start>): Promise<boolean> {
    this.starts.push(options);
    const { image = "", containerSnapshot, entrypoint, env } = options;
    if (image !== "" && containerSnapshot) throw new Error("image and containerSnapshot exclude each other");
    const taken = containerSnapshot && this.#snapshots.get(containerSnapshot.id);
    const { onlyImage, snapshotsExpired } = this.quirks;
    // The container ends right after its start, and the caller learns of it later.
    if (containerSnapshot && (!taken || snapshotsExpired)) return false;
    if (taken && onlyImage !== undefined && taken.image !== onlyImage) return false;
    // A container's home has a fixed path, whatever its disk.
    this.#homes ??= await mkdtemp(join(tmpdir(), "handrail-containers-"));
    const guest = await PlayedGuest.make(name, join(this.#homes, name));
    if (taken) await cp(taken.folder, guest.home, { recursive: true });
    const [cmd, ...args] = entrypoint;
    guest.begin({ cmd, args, envs: env });
    this.running.set(name, { guest, image: taken?.image ?? image, notReady: this.quirks.notReadyFor });
    return true;
  }

  async #snapshot(name: string): Promise<unknown> {
    const instance = this.running.get(name);
    if (!instance || this.quirks.noSnapshots) throw new Error("snapshots are not available");
    const folder = await mkdtemp(join(tmpdir(), "handrail-snapshot-"));
    await cp(instance.guest.home, folder, { recursive: true });
    const id = `snapshot-${this.#snapshots.size}`;
    this.#snapshots.set(id, { folder, image: instance.image });
    return { id, size: (await readdir(folder)).length };
  }

  async #exec(name: string, query: string, stdin: Uint8Array, response: ServerResponse): Promise<void> {
    const instance = this.running.get(name);
    if (!instance) throw new Error("exec() needs a running container");
    const command = new URLSearchParams(query.replace(/^\?/, "")).get("command");
    const [cmd, ...args] = z.parse(z.tuple([z.string()], z.string()), JSON.parse(command ?? ""));
    const { exitCode, stdout } = await instance.guest.run({ cmd, args, envs: {}, stdin });
    response.writeHead(200, { "x-exit-code": String(exitCode) });
    response.end(stdout);
  }

  #pass(name: string, path: string, incoming: IncomingMessage, response: ServerResponse): void {
    const instance = this.running.get(name);
    const absent = () => {
      if (response.headersSent) {
        response.destroy();
        return;
      }
      response.writeHead(503, { "x-not-listening": "1" });
      response.end();
    };
    if (!instance || instance.notReady > 0) {
      if (instance) instance.notReady -= 1;
      absent();
      return;
    }
    const { method, headers } = incoming;
    const to = { host: "127.0.0.1", port: instance.guest.port, method, path, headers, agent: false };
    const outgoing = request(to, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("error", () => response.destroy()).pipe(response);
    });
    outgoing.on("error", absent);
    response.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  }
}
