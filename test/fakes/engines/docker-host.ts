// A fake Docker engine: the part of its API that guests need, with containers that are real sandbox servers
// and volumes that are folders. It can be killed with its containers, like dockerd, and come back with their
// disks.
import type { ChildProcess } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import * as z from "zod/mini";
import { builtServer } from "../../sandbox/running-server.ts";
import { PlayedGuest } from "./played-guest.ts";

const Labels = z.record(z.string(), z.string());
const Container = z.object({
  Labels,
  Env: z.array(z.string()),
  Entrypoint: z.array(z.string()),
  HostConfig: z.object({
    Binds: z.array(z.string()),
    NetworkMode: z.string(),
    PortBindings: z.record(z.string(), z.array(z.object({ HostIp: z.string() }))),
  }),
});
const NewVolume = z.object({ Name: z.string(), Labels });

interface Held extends z.infer<typeof Container> {
  Id: string;
  name: string;
  created: number;
  /** Made again at each start, so that connections to an earlier run lead nowhere. */
  guest?: PlayedGuest;
  child?: ChildProcess;
  /** Settles when everything from its last run has ended. */
  ended?: Promise<unknown>;
  /** Settles after the latest request. */
  turn: Promise<unknown>;
  running: boolean;
  /** In a shell's form: 128 plus the signal's number. */
  exitCode: number;
}

type Answer = [status: number, body?: unknown];

export class DockerHost {
  readonly #folder: string;
  readonly #server: string;
  #listener: Server | undefined;
  readonly containers = new Map<string, Held>();
  readonly volumes = new Map<string, z.infer<typeof Labels>>();
  /** By id. */
  readonly networks = new Map<string, { Id: string; Name: string; Labels: object; Created: string }>();
  #count = 0;
  /** Called when a request has arrived, before it is handled. */
  #beforeCall: () => Promise<void> = async () => undefined;

  private constructor(folder: string, server: string) {
    this.#folder = folder;
    this.#server = server;
  }

  static async start(): Promise<DockerHost> {
    const host = new DockerHost(await mkdtemp(join(tmpdir(), "handrail-docker-host-")), await builtServer());
    await host.listen();
    return host;
  }

  /** The address in DOCKER_HOST's form. */
  get address(): string {
    return `unix://${join(this.#folder, "sock")}`;
  }

  async listen(): Promise<void> {
    // Like dockerd, it closes no idle connections, because one could just be used again.
    const listener = createServer(
      { keepAliveTimeout: 0 },
      (request, response) => void this.#serve(request, response),
    );
    await rm(join(this.#folder, "sock"), { force: true });
    await new Promise<void>((resolve) => listener.listen(join(this.#folder, "sock"), resolve));
    this.#listener = listener;
  }

  /** Dies in the middle of whatever it does. Its containers end too. */
  async die(): Promise<void> {
    const ended = new Promise((resolve) => this.#listener?.close(resolve));
    this.#listener?.closeAllConnections();
    await ended;
    await this.kill();
  }

  /** Kills all running containers. */
  async kill(): Promise<void> {
    for (const held of this.containers.values())
      await inTurn(held, async () => {
        if (held.running) await killed(held);
      });
  }

  /** Calls `act` before the `count`-th request from now is handled. Resolves when `act` is done. */
  atCall(count: number, act: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      let left = count;
      this.#beforeCall = async () => {
        left -= 1;
        if (left === 0) await act().then(resolve, reject);
      };
    });
  }

  async close(): Promise<void> {
    await this.die();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://docker");
    const body = await json(request).catch(() => undefined);
    await this.#beforeCall();
    const [status, value] = await this.#answer(request.method ?? "GET", url, body).catch(
      (error: unknown): Answer => [500, { message: String(error) }],
    );
    response.writeHead(status, { "content-type": "application/json" });
    response.end(value === undefined ? "" : JSON.stringify(value));
  }

  async #answer(method: string, url: URL, body: unknown): Promise<Answer> {
    const [, kind, name = "", act = ""] = url.pathname.split("/");
    if (kind === "networks") return this.#network(method, name, body);
    if (kind === "volumes") return this.#volume(method, url, name, body);
    if (name === "json") return [200, this.#listed(url)];
    if (name === "create") return this.#create(url.searchParams.get("name") ?? "", body);
    const held = this.#find(name);
    if (!held) return [404, { message: "No such container" }];
    if (act === "json") return [200, inspected(held)];
    if (act === "logs") return [200, await readFile(logOf(held), "utf8").catch(() => "")];
    if (act === "rename") return this.#rename(held, url.searchParams.get("name") ?? "");
    return inTurn(held, async (): Promise<Answer> => {
      if (!this.containers.has(held.Id)) return [404, { message: "No such container" }];
      if (act === "start") return this.#start(held);
      if (act === "stop" && held.child?.kill("SIGTERM")) await held.ended;
      await killed(held);
      if (method === "DELETE") this.containers.delete(held.Id);
      return [204];
    });
  }

  #find(reference: string): Held | undefined {
    const named = [...this.containers.values()].find(({ name }) => name === reference);
    return this.containers.get(reference) ?? named;
  }

  #listed(url: URL): object[] {
    const wanted = labelsOf(url);
    return [...this.containers.values()]
      .filter(({ Labels }) => wanted.every((label) => has(Labels, label)))
      .map(({ Id, name, running, created, Labels }) => ({
        ...{ Id, Names: [`/${name}`], State: running ? "running" : "exited", Created: created, Labels },
      }));
  }

  #create(name: string, body: unknown): Answer {
    if (this.#find(name)) return [409, { message: "The name is in use" }];
    this.#count += 1;
    const Id = `c${this.#count}`;
    const created = Math.floor(Date.now() / 1_000);
    const idle = { turn: Promise.resolve(), running: false, exitCode: 0 };
    this.containers.set(Id, { ...z.parse(Container, body), Id, name, created, ...idle });
    return [201, { Id }];
  }

  #rename(held: Held, name: string): Answer {
    if (this.#find(name)) return [409, { message: "The name is in use" }];
    held.name = name;
    return [204];
  }

  async #start(held: Held): Promise<Answer> {
    if (held.running) return [304];
    if (!this.networks.has(held.HostConfig.NetworkMode)) return [404, { message: "No such network" }];
    const [volume = ""] = held.HostConfig.Binds[0]?.split(":") ?? [];
    const guest = await PlayedGuest.make(held.Id, join(this.#folder, volume), addressOf(held));
    const [, , ...args] = held.Entrypoint;
    const own = args.map(
      (arg) => ({ "/state": guest.state, "0.0.0.0": guest.address, "8788": `${guest.port}` })[arg] ?? arg,
    );
    const envs = Object.fromEntries(held.Env.map((line) => line.split(/=(.*)/s).slice(0, 2)));
    const child = guest.begin({
      cmd: "/bin/sh",
      args: ["-c", 'exec "$0" "$@" 2> "$HOME/log"', process.execPath, this.#server, ...own],
      envs: { ...envs, HOME: guest.home },
    });
    const ended = new Promise<void>((resolve) =>
      child.once("exit", (code, signal) => {
        const exitCode = code ?? 128 + constants.signals[signal ?? "SIGKILL"];
        if (held.child === child) Object.assign(held, { running: false, exitCode });
        resolve();
      }),
    );
    Object.assign(held, { guest, child, ended, running: true });
    return [204];
  }

  #network(method: string, name: string, body: unknown): Answer {
    if (method === "DELETE") {
      const isUsed = [...this.containers.values()].some(
        ({ running, HostConfig }) => running && HostConfig.NetworkMode === name,
      );
      return isUsed
        ? [403, { message: "It has active endpoints" }]
        : [this.networks.delete(name) ? 204 : 404];
    }
    if (method === "POST") {
      const { Name, Labels } = z.parse(NewVolume, body);
      if ([...this.networks.values()].some((each) => each.Name === Name)) return [409];
      this.#count += 1;
      const Id = `n${this.#count}`;
      this.networks.set(Id, { Id, Name, Labels, Created: new Date().toISOString() });
      return [201, { Id }];
    }
    return [200, [...this.networks.values()]];
  }

  async #volume(method: string, url: URL, name: string, body: unknown): Promise<Answer> {
    if (name === "create") {
      const { Name, Labels } = z.parse(NewVolume, body);
      if (!this.volumes.has(Name)) this.volumes.set(Name, Labels);
      return [201, { Name }];
    }
    if (name === "") {
      const found = [...this.volumes].filter(([, own]) => labelsOf(url).every((label) => has(own, label)));
      return [200, { Volumes: found.map(([Name, Labels]) => ({ Name, Labels })) }];
    }
    const own = this.volumes.get(name);
    if (!own) return [404, { message: "No such volume" }];
    if (method === "GET") return [200, { Name: name, Labels: own }];
    const isUsed = [...this.containers.values()].some(({ HostConfig }) =>
      HostConfig.Binds.some((bind) => bind.startsWith(`${name}:`)),
    );
    if (isUsed) return [409, { message: "The volume is in use" }];
    this.volumes.delete(name);
    await rm(join(this.#folder, name), { recursive: true, force: true, maxRetries: 5 });
    return [204];
  }
}

/** Runs one act after another for each container, as under the engine's own lock. */
function inTurn<T>(held: Held, act: () => Promise<T>): Promise<T> {
  const acted = held.turn.then(act);
  held.turn = acted.catch(() => undefined);
  return acted;
}

/** Resolves when it has ended, so that its next run finds its folders unused. */
async function killed({ child, guest, ended }: Held): Promise<void> {
  child?.kill("SIGKILL");
  await guest?.kill();
  await ended;
}

function inspected({ Id, name, Labels, HostConfig, running, guest, exitCode }: Held): object {
  const State = { Status: running ? "running" : "exited", Running: running, ExitCode: exitCode };
  const Ports = running ? { "8788/tcp": [{ HostIp: guest?.address, HostPort: `${guest?.port}` }] } : {};
  return { Id, Name: `/${name}`, State, Config: { Labels }, HostConfig, NetworkSettings: { Ports } };
}

/** The address at which its port is published. */
function addressOf({ HostConfig: { PortBindings } }: Held): string {
  return PortBindings["8788/tcp"]?.[0]?.HostIp ?? "127.0.0.1";
}

function logOf({ guest }: Held): string {
  return join(guest?.home ?? "", "log");
}

const Filters = z.object({ label: z.optional(z.array(z.string())) });

function labelsOf(url: URL): string[] {
  return z.parse(Filters, JSON.parse(url.searchParams.get("filters") ?? "{}")).label ?? [];
}

function has(labels: Readonly<Record<string, string>>, wanted: string): boolean {
  const [name = "", value] = wanted.split("=");
  return name in labels && (value === undefined || labels[name] === value);
}
