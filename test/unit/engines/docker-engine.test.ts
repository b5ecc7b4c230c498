// What the engine `docker` deletes, against a fake engine: only its own objects, and those that it has just made.
import { beforeEach, expect, test } from "vitest";
import { dockerEngine } from "../../../functions/engines/docker/docker-engine.ts";
import type { Engine } from "../../../functions/engines/engine.ts";

interface Body {
  Name: string;
  Image: string;
  Labels: Record<string, string>;
}

interface Thing {
  Id: string;
  /** What it was made of. */
  image?: string;
  Labels: Record<string, string>;
  running?: boolean;
}

const spec = { name: "one", network: "none", workspace: "sample project" } as const;
const containers = new Map<string, Thing>();
const volumes = new Map<string, Thing>();
/** What guests report of themselves: without a jail none is made. */
let isolation = "bubblewrap";
/** Whether the edge ends before this request gets out. */
let dies: (path: string) => boolean = () => false;
/** Called before a request is answered; what it returns is the answer. */
let before: (method: string, path: string) => Promise<Response | undefined>;
let count = 0;
/** The images that tags refer to. */
let tagged = "1";

beforeEach(() => {
  dies = () => false;
  containers.clear();
  volumes.clear();
  isolation = "bubblewrap";
  before = async () => undefined;
  count = 0;
  tagged = "1";
});

const holderOf = (reference: string) =>
  [...containers].find(([name, { Id }]) => name === reference || Id === reference)?.[0] ?? "";

function answerTo(method: string, url: URL, body: Body): Response {
  const [, kind, name = "", act] = url.pathname.split("/");
  const nothing = Response.json({ message: "No such thing" }, { status: 404 });
  const done = (status: number) => new Response(null, { status });
  if (kind === "networks") return Response.json([{ Id: "network", Name: "handrail", Created: "" }]);
  if (kind === "images") return Response.json({ Id: "sha256:1", Config: { Env: [] } });
  if (kind === "volumes") {
    if (name === "") {
      const listed = [...volumes].map(([Name, { Labels }]) => ({ Name, Labels }));
      return Response.json({ Volumes: listed });
    }
    const { Name, Labels } = body ?? { Name: "", Labels: {} };
    if (name === "create" && !volumes.has(Name)) volumes.set(Name, { Id: Name, Labels });
    if (name === "create") return done(201);
    if (method === "DELETE") return done(volumes.delete(name) ? 204 : 404);
    const found = volumes.get(name);
    return found ? Response.json({ Name: name, Labels: found.Labels }) : nothing;
  }
  if (name === "json") {
    const listed = [...containers].map(([held, { Id, Labels }]) => ({
      ...{ Id, Names: [`/${held}`], State: "running", Created: 0, Labels },
    }));
    return Response.json(listed);
  }
  if (name === "create") {
    const wanted = url.searchParams.get("name") ?? "";
    if (containers.has(wanted)) return done(409);
    count += 1;
    containers.set(wanted, { Id: `id-${count}`, Labels: body.Labels, image: body.Image });
    return done(201);
  }
  const held = holderOf(name);
  const found = containers.get(held);
  if (!found) return nothing;
  if (method === "DELETE") return done(containers.delete(held) ? 204 : 404);
  if (act === "start" || act === "stop") found.running = act === "start";
  if (act === "rename") {
    containers.delete(held);
    containers.set(url.searchParams.get("name") ?? "", found);
  }
  if (act !== "json") return done(204);
  return Response.json({
    ...{ Id: found.Id, Name: `/${held}`, Config: { Labels: found.Labels }, Image: `sha256:${tagged}` },
    State: { Status: "", Running: found.running ?? false },
    NetworkSettings: { Ports: { "8788/tcp": [{ HostPort: "1" }] } },
  });
}

function open(owner = "us", now = 0): Promise<Engine> {
  let dead = false;
  return dockerEngine({
    env: {},
    fetch: async () => Response.json({ isolation, baseSnapshot: "1" }),
    ...{ now: () => now, elapsed: () => 0, log: () => undefined, owner },
    tokenOf: async () => "token",
    platform: {
      dial: async () => () => async (input, init) => {
        const url = new URL(String(input));
        dead ||= dies(`${url.pathname}${url.search}`);
        if (dead) throw new Error("the edge has ended");
        const method = init?.method ?? "GET";
        const answer = await before(method, url.pathname);
        return answer ?? answerTo(method, url, JSON.parse(String(init?.body ?? "null")));
      },
    },
  });
}

async function kept(): Promise<Engine> {
  const engine = await open();
  await engine.keep?.((await engine.create(spec)).guest);
  return engine;
}

const left = () => [...containers.keys(), ...volumes.keys()];

test("what fails leaves nothing", async () => {
  isolation = "none";
  await expect((await open()).create(spec)).rejects.toMatchObject({ code: "invalid_request" });
  expect(left()).toEqual([]);
});

test("a creation that fails leaves what another with the same name has made", async () => {
  const engine = await open();
  await engine.create(spec);
  isolation = "none";
  await expect(engine.create(spec)).rejects.toMatchObject({ code: "invalid_request" });
  expect(left()).toEqual(["handrail-new-one", "handrail-one"]);
});

test("a creation that is repeated around the volume of a lost container does not delete it", async () => {
  const engine = await kept();
  containers.clear();
  isolation = "none";
  await expect(engine.create(spec)).rejects.toMatchObject({ code: "invalid_request" });
  expect(left()).toEqual(["handrail-one"]);
  expect(await engine.find("one")).toEqual({ state: "asleep" });
});

/** Left by an edge that ended before it sent that request. */
async function endedBefore(path: string): Promise<void> {
  dies = (asked) => asked.startsWith(path);
  await expect((await open()).create(spec)).rejects.toMatchObject({ code: "sandbox_unreachable" });
  dies = () => false;
}

const minutes = 60_000;

test.each([
  ["/volumes/create", []],
  ["/containers/create?", ["handrail-begun-one", "handrail-one"]],
  ["/volumes/handrail-begun-one", ["handrail-new-one", "handrail-begun-one", "handrail-one"]],
  ["/containers/id-1/start", ["handrail-new-one", "handrail-one"]],
])(
  "what an edge made that ended before %s is removed after ten minutes, and not earlier",
  async (path, made) => {
    await endedBefore(path);
    expect(left()).toEqual(made);
    await (await open("us", 9 * minutes)).tend?.();
    expect(left()).toEqual(made);
    await (await open("us", 11 * minutes)).tend?.();
    expect(left()).toEqual([]);
  },
);

test("a creation that another edge began and this one finished is kept", async () => {
  await endedBefore("/containers/create");
  await kept();
  expect(left()).toEqual(["handrail-one", "handrail-one"]);
  containers.clear();
  await (await open("us", 11 * minutes)).tend?.();
  expect(left()).toEqual(["handrail-one"]);
});

test("an edge that ends while it makes a lost container again does not cost its volume", async () => {
  await kept();
  containers.clear();
  await endedBefore("/containers/create");
  await (await open("us", 11 * minutes)).tend?.();
  expect(left()).toEqual(["handrail-one"]);
  await endedBefore("/containers/id-2/start");
  await (await open("us", 11 * minutes)).tend?.();
  expect(left()).toEqual(["handrail-one", "handrail-one"]);
});

test("an id that names something else of this engine than a guest leads nowhere and removes nothing", async () => {
  const engine = await kept();
  const own = { "handrail.owner": "us" };
  containers.set("handrail-new-two", { Id: "two", Labels: own, running: true });
  volumes.set("handrail-removed-one", { Id: "r", Labels: own });
  const before = left();
  for (const forged of ["new-two", "removed-one", "../one", "one?force=1", "two/../handrail-one"]) {
    expect(await engine.find(forged)).toEqual({ state: "gone" });
    await expect(engine.wake(forged)).rejects.toMatchObject({ code: "not_found" });
    await expect(engine.images?.use(forged, "other")).rejects.toMatchObject({ code: "not_found" });
    await engine.sleep(forged);
    await engine.remove(forged);
  }
  expect(left()).toEqual(before);
  expect(await engine.find("one")).toMatchObject({ state: "ready" });
});

test("what is not ours is not put to sleep, kept, woken or deleted, whatever id is asked for", async () => {
  const ours = await kept();
  const others = await open("others");
  await others.sleep("one");
  await others.remove("one");
  expect(await others.find("one")).toEqual({ state: "gone" });
  await expect(others.wake("one")).rejects.toMatchObject({ code: "not_found" });
  expect(await ours.find("one")).toMatchObject({ state: "ready" });
  await ours.remove("one");
  expect(left()).toEqual([]);
});

test("a container in which an image was tried is no guest, and is removed without the files of its guest", async () => {
  const engine = await kept();
  const Labels = { "handrail.owner": "us", "handrail.trial": "one" };
  containers.clear();
  containers.set("handrail-trial-one", { Id: "t", Labels, running: true });
  expect(await engine.list()).toEqual([]);
  expect(await engine.find("one")).toEqual({ state: "asleep" });
  await (await open("us", 11 * minutes)).tend?.();
  expect(containers.size).toBe(0);
  expect([...volumes.keys()]).toContain("handrail-one");
});

test("a guest that is deleted while its image is fetched does not come back empty", async () => {
  const engine = await kept();
  containers.clear();
  let fetched = false;
  before = async (method, path) => {
    if (path === "/images/create") {
      fetched = true;
      await engine.remove("one");
    }
    const missing = !fetched && method === "POST" && path === "/containers/create";
    return missing ? new Response(null, { status: 404 }) : undefined;
  };
  await expect(engine.wake("one")).rejects.toMatchObject({ code: "not_found" });
  expect(fetched).toBe(true);
  expect(left()).toEqual([]);
});

test("a guest gets the image that was tried, wherever its tag leads by then", async () => {
  const engine = await kept();
  const tried = await engine.images?.try("one", "node:22");
  tagged = "2";
  await engine.images?.use("one", "node:22", tried);
  expect(containers.get("handrail-one")?.image).toBe("sha256:1");
  expect(await engine.find("one")).toMatchObject({ image: "node:22" });
});

test("what fills the volume with our server has ended before it is deleted", async () => {
  const asked: string[] = [];
  const engine = await kept();
  before = async (method, path) => {
    if (path.includes("-filler")) asked.push(`${method} ${path.split("/")[3] ?? ""}`.trim());
    return undefined;
  };
  await engine.images?.use("one", "node:22");
  expect(asked).toEqual(["POST start", "POST wait", "DELETE"]);
});

test("a guest that was taken back while its session was made is not said to be there", async () => {
  const engine = await open();
  await engine.create(spec);
  await engine.remove("one");
  await expect(engine.keep?.("one")).rejects.toMatchObject({ code: "sandbox_unreachable" });
});

test("a guest that has the image already is not made again", async () => {
  const engine = await kept();
  await engine.images?.use("one", "node:22");
  const made = containers.get("handrail-one")?.Id;
  await engine.images?.try("one", "node:22");
  await engine.images?.use("one", "node:22");
  expect(containers.get("handrail-one")?.Id).toBe(made);
  expect(await engine.find("one")).toMatchObject({ state: "ready", image: "node:22" });
  // A repeated creation does not make a new one either, after somebody removed its container.
  containers.clear();
  await engine.create(spec);
  expect(await engine.find("one")).toMatchObject({ state: "ready", image: "node:22" });
});

test("a guest that another edge wakes in its old image meanwhile is not said to have the new one", async () => {
  const engine = await kept();
  const old = containers.get("handrail-one");
  before = async (method, path) => {
    if (method === "POST" && path === "/containers/create" && old) containers.set("handrail-one", old);
    return undefined;
  };
  await expect(engine.images?.use("one", "node:22")).rejects.toMatchObject({ code: "sandbox_unreachable" });
});
