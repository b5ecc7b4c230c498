// A Docker engine's answers about guests, from memory, to test what the engine `docker` makes, deletes and
// remembers there.
import { dockerEngine } from "../../../functions/engines/docker/docker-engine.ts";
import type { Engine } from "../../../functions/engines/engine.ts";

interface Body {
  Name: string;
  Image: string;
  Labels: Record<string, string>;
  DriverOpts?: Record<string, string>;
  HostConfig?: { NetworkMode?: string };
}

interface Thing {
  Id: string;
  /** The id of the image that it was made from. */
  image?: string;
  Labels: Record<string, string>;
  /** Options of its volume driver. */
  options?: Record<string, string>;
  /** The id of its network. */
  network?: string;
  running?: boolean;
}

export const spec = { name: "one", network: "none", workspace: "sample project" } as const;

export class DockerAnswers {
  readonly containers = new Map<string, Thing>();
  readonly volumes = new Map<string, Thing>();
  readonly networks = new Map<string, Thing>();
  /** The isolation that guests report. Without a jail, none is made. */
  isolation = "bubblewrap";
  /** Whether the edge dies before this request is sent. */
  dies: (path: string) => boolean = () => false;
  /** Called before a request is answered. If it returns a response, that is the answer. */
  before: (method: string, path: string) => Promise<Response | undefined> = async () => undefined;
  /**
   * What another call is doing to all containers: nothing, removing them, or a removal that fails. Docker
   * answers 409 until the end of a removal, for which a caller can wait.
   */
  removal: "none" | "ends" | "fails" = "none";
  /** The image id that tags refer to. */
  tagged = "1";
  /** Images that no longer exist. */
  pruned: string[] = [];
  /** Settings of the edge. */
  env: Record<string, string> = {};
  #count = 0;

  open(owner = "us", now = 0): Promise<Engine> {
    let dead = false;
    return dockerEngine({
      env: this.env,
      fetch: async () => Response.json({ isolation: this.isolation, baseSnapshot: "1" }),
      ...{ now: () => now, elapsed: () => 0, log: () => undefined, owner },
      tokenOf: async () => "token",
      platform: {
        fileOf: async () => "/profile.json",
        dial: async () => () => async (input, init) => {
          const url = new URL(String(input));
          dead ||= this.dies(`${url.pathname}${url.search}`);
          if (dead) throw new Error("the edge has ended");
          const method = init?.method ?? "GET";
          const answer = await this.before(method, url.pathname);
          return answer ?? this.#answer(method, url, JSON.parse(String(init?.body ?? "null")));
        },
      },
    });
  }

  /** An engine with a guest that has a session. */
  async kept(): Promise<Engine> {
    const engine = await this.open();
    await engine.keep?.((await engine.create(spec)).guest);
    return engine;
  }

  left(): string[] {
    return [...this.containers.keys(), ...this.volumes.keys(), ...this.networks.keys()];
  }

  #answer(method: string, url: URL, body: Body): Response {
    const [, kind, name = "", act] = url.pathname.split("/");
    if (kind === "networks") return this.#answerOfNetwork(method, name, body);
    if (kind === "volumes") return this.#answerOfVolume(method, name, body);
    if (kind !== "images") return this.#answerOfContainer(method, url, name, act, body);
    if (this.pruned.includes(decodeURIComponent(name))) return nothing();
    return Response.json({ Id: "sha256:1", Config: { Env: [] } });
  }

  #answerOfNetwork(method: string, name: string, body: Body): Response {
    const { networks } = this;
    if (method === "DELETE") return done(networks.delete(name.replace(/^id-of-/, "")) ? 204 : 404);
    if (name === "create") networks.set(body.Name, { Id: `id-of-${body.Name}`, Labels: body.Labels });
    const Created = new Date(0).toISOString();
    return Response.json([...networks].map(([Name, { Id, Labels }]) => ({ Id, Name, Created, Labels })));
  }

  #answerOfVolume(method: string, name: string, body: Body): Response {
    const { volumes } = this;
    if (name === "") {
      const listed = [...volumes].map(([Name, { Labels }]) => ({ Name, Labels }));
      return Response.json({ Volumes: listed });
    }
    const { Name, Labels, DriverOpts: options = {} } = body ?? { Name: "", Labels: {} };
    if (name === "create" && !volumes.has(Name)) volumes.set(Name, { Id: Name, Labels, options });
    if (name === "create") return done(201);
    if (method === "DELETE" && this.containers.has(name)) return conflict("volume is in use");
    if (method === "DELETE") return done(volumes.delete(name) ? 204 : 404);
    const found = volumes.get(name);
    return found ? Response.json({ Name: name, Labels: found.Labels }) : nothing();
  }

  #answerOfContainer(method: string, url: URL, name: string, act: string | undefined, body: Body): Response {
    const { containers } = this;
    if (name === "json") {
      const listed = [...containers].map(([held, { Id, Labels }]) => ({
        ...{ Id, Names: [`/${held}`], State: "running", Created: 0, Labels },
      }));
      return Response.json(listed);
    }
    const wanted = url.searchParams.get("name") ?? "";
    if (name === "create") {
      if (containers.has(wanted)) return done(409);
      this.#count += 1;
      const image = body.Image.startsWith("sha256:") ? body.Image : `sha256:${this.tagged}`;
      const network = body.HostConfig?.NetworkMode ?? "";
      containers.set(wanted, { Id: `id-${this.#count}`, Labels: body.Labels, image, network });
      return done(201);
    }
    const [held, found] = [...containers].find(([at, { Id }]) => name === at || Id === name) ?? [""];
    if (!found) return nothing();
    const isRemoved = this.removal !== "none";
    if (act === "wait" && this.removal === "ends") containers.delete(held);
    if (isRemoved && method === "DELETE") return conflict("removal is already in progress");
    if (isRemoved && act === "start") return conflict("container is marked for removal");
    if (method === "DELETE") return done(containers.delete(held) ? 204 : 404);
    if (act === "start" || act === "stop") found.running = act === "start";
    if (act === "rename") {
      containers.delete(held);
      containers.set(wanted, found);
    }
    if (act !== "json") return done(204);
    return Response.json({
      ...{ Id: found.Id, Name: `/${held}`, Config: { Labels: found.Labels }, Image: found.image },
      State: { Status: isRemoved ? "removing" : "", Running: found.running ?? false },
      HostConfig: { NetworkMode: found.network },
      NetworkSettings: { Ports: { "8788/tcp": [{ HostPort: "1" }] } },
    });
  }
}

function nothing(): Response {
  return Response.json({ message: "No such thing" }, { status: 404 });
}

function conflict(message: string): Response {
  return Response.json({ message }, { status: 409 });
}

function done(status: number): Response {
  return new Response(null, { status });
}
