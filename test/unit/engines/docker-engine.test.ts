// The engine `docker` deletes only its own objects, and those that it has just made.
import { beforeEach, describe, expect, test } from "vitest";
import type { Engine } from "../../../functions/engines/engine.ts";
import { DockerAnswers, spec } from "../../fakes/engines/docker-answers.ts";

const minutes = 60_000;
const network = "handrail-network-one";

let docker: DockerAnswers;
beforeEach(() => {
  docker = new DockerAnswers();
});

test("a failure leaves nothing", async () => {
  docker.isolation = "none";
  await expect((await docker.open()).create(spec)).rejects.toMatchObject({ code: "invalid_request" });
  expect(docker.left()).toEqual([]);
});

test("a creation that fails leaves alone what another with the same name has made", async () => {
  const engine = await docker.open();
  await engine.create(spec);
  docker.isolation = "none";
  await expect(engine.create(spec)).rejects.toMatchObject({ code: "invalid_request" });
  expect(docker.left()).toEqual(["handrail-new-one", "handrail-one", network]);
});

test("a creation that is repeated around a lost container's volume does not delete the volume", async () => {
  const engine = await docker.kept();
  docker.containers.clear();
  docker.isolation = "none";
  await expect(engine.create(spec)).rejects.toMatchObject({ code: "invalid_request" });
  expect(docker.left()).toEqual(["handrail-one", network]);
  expect(await engine.find("one")).toEqual({ state: "asleep" });
});

/** Simulates an edge that died just before the request to `path`. */
async function endedBefore(path: string): Promise<void> {
  docker.dies = (asked) => asked.startsWith(path);
  await expect((await docker.open()).create(spec)).rejects.toMatchObject({ code: "sandbox_unreachable" });
  docker.dies = () => false;
}

test.each([
  ["/volumes/create", []],
  ["/networks/create", ["handrail-begun-one", "handrail-one"]],
  ["/containers/create?", ["handrail-begun-one", "handrail-one", network]],
  ["/volumes/handrail-begun-one", ["handrail-new-one", "handrail-begun-one", "handrail-one", network]],
  ["/containers/id-1/start", ["handrail-new-one", "handrail-one", network]],
])(
  "what an edge made that ended before %s is removed after ten minutes, and not earlier",
  async (path, made) => {
    await endedBefore(path);
    expect(docker.left()).toEqual(made);
    await (await docker.open("us", 9 * minutes)).tend?.();
    expect(docker.left()).toEqual(made);
    await (await docker.open("us", 11 * minutes)).tend?.();
    expect(docker.left()).toEqual([]);
  },
);

test("what an edge was removing when it ended is removed after ten minutes", async () => {
  docker.isolation = "none";
  docker.dies = (asked) => asked.startsWith("/volumes/handrail-one?");
  await expect((await docker.open()).create(spec)).rejects.toMatchObject({ code: "invalid_request" });
  docker.dies = () => false;
  expect(docker.left()).toContain("handrail-one");
  await (await docker.open("us", 11 * minutes)).tend?.();
  expect(docker.left()).toEqual([]);
});

test("a creation that an edge began and another one failed to finish is removed after ten minutes", async () => {
  await endedBefore("/containers/create");
  docker.isolation = "none";
  await expect((await docker.open()).create(spec)).rejects.toMatchObject({ code: "invalid_request" });
  await (await docker.open("us", 11 * minutes)).tend?.();
  expect(docker.left()).toEqual([]);
});

test("a creation that another edge started and this one finished is kept", async () => {
  await endedBefore("/containers/create");
  await docker.kept();
  expect(docker.left()).toEqual(["handrail-one", "handrail-one", network]);
  docker.containers.clear();
  await (await docker.open("us", 11 * minutes)).tend?.();
  expect(docker.left()).toEqual(["handrail-one", network]);
});

test("an edge that ends while it recreates a lost container does not lose its volume", async () => {
  await docker.kept();
  docker.containers.clear();
  await endedBefore("/containers/create");
  await (await docker.open("us", 11 * minutes)).tend?.();
  expect(docker.left()).toEqual(["handrail-one", network]);
  await endedBefore("/containers/id-2/start");
  await (await docker.open("us", 11 * minutes)).tend?.();
  expect(docker.left()).toEqual(["handrail-one", "handrail-one", network]);
});

test("an id of this engine that is not a guest leads nowhere and removes nothing", async () => {
  const engine = await docker.kept();
  const own = { "handrail.owner": "us" };
  docker.containers.set("handrail-new-two", { Id: "two", Labels: own, running: true });
  docker.volumes.set("handrail-removed-one", { Id: "r", Labels: own });
  const before = docker.left();
  for (const forged of ["new-two", "removed-one", "../one", "one?force=1", "two/../handrail-one"]) {
    expect(await engine.find(forged)).toEqual({ state: "gone" });
    await expect(engine.wake(forged)).rejects.toMatchObject({ code: "not_found" });
    await expect(engine.images?.use(forged, "other")).rejects.toMatchObject({ code: "not_found" });
    await engine.sleep(forged);
    await engine.remove(forged);
  }
  expect(docker.left()).toEqual(before);
  expect(await engine.find("one")).toMatchObject({ state: "ready" });
});

test("what is not ours is not put to sleep, kept, woken or deleted, whatever the id", async () => {
  const ours = await docker.kept();
  const others = await docker.open("others");
  await others.sleep("one");
  await others.remove("one");
  expect(await others.find("one")).toEqual({ state: "gone" });
  await expect(others.wake("one")).rejects.toMatchObject({ code: "not_found" });
  expect(await ours.find("one")).toMatchObject({ state: "ready" });
  await ours.remove("one");
  expect(docker.left()).toEqual([]);
});

test("a container in which an image was tried is not a guest, and is removed without its guest's files", async () => {
  const engine = await docker.kept();
  const Labels = { "handrail.owner": "us", "handrail.trial": "one" };
  docker.containers.clear();
  docker.containers.set("handrail-trial-one", { Id: "t", Labels, running: true });
  expect(await engine.list()).toEqual([]);
  expect(await engine.find("one")).toEqual({ state: "asleep" });
  await (await docker.open("us", 11 * minutes)).tend?.();
  expect(docker.containers.size).toBe(0);
  expect([...docker.volumes.keys()]).toContain("handrail-one");
});

test("a guest that is deleted while its image is fetched does not come back empty", async () => {
  const engine = await docker.kept();
  docker.containers.clear();
  let fetched = false;
  docker.before = async (method, path) => {
    if (path === "/images/create") {
      fetched = true;
      await engine.remove("one");
    }
    const missing = !fetched && method === "POST" && path === "/containers/create";
    return missing ? new Response(null, { status: 404 }) : undefined;
  };
  await expect(engine.wake("one")).rejects.toMatchObject({ code: "not_found" });
  expect(fetched).toBe(true);
  expect(docker.left()).toEqual([]);
});

test("a guest that was deleted while its session was made is not reported as existing", async () => {
  const engine = await docker.open();
  await engine.create(spec);
  await engine.remove("one");
  await expect(engine.keep?.("one")).rejects.toMatchObject({ code: "sandbox_unreachable" });
});

test("a network without a guest is removed after ten minutes, and those of guests and of others stay", async () => {
  const engine = await docker.kept();
  const own = { "handrail.owner": "us" };
  docker.networks.set("handrail-network-two", { Id: "id-of-handrail-network-two", Labels: own });
  docker.networks.set("handrail-network-theirs", { Id: "t", Labels: { "handrail.owner": "others" } });
  docker.networks.set("bridge", { Id: "b", Labels: {} });
  await engine.sleep("one");
  await (await docker.open("us", 9 * minutes)).tend?.();
  expect(docker.networks.size).toBe(4);
  await (await docker.open("us", 11 * minutes)).tend?.();
  expect([...docker.networks.keys()]).toEqual([network, "handrail-network-theirs", "bridge"]);
});

test("a guest whose network was pruned while it slept wakes in a new one, around its volume", async () => {
  const engine = await docker.kept();
  await engine.sleep("one");
  docker.networks.clear();
  docker.networks.set(network, { Id: "id-of-another", Labels: { "handrail.owner": "us" } });
  await engine.wake("one");
  const made = docker.containers.get("handrail-one");
  expect([made?.Id, made?.network, made?.running]).toEqual(["id-2", "id-of-another", true]);
  expect(docker.left()).toEqual(["handrail-one", "handrail-one", network]);
});

describe("while another call is removing a guest's container", () => {
  let engine: Engine;
  beforeEach(async () => {
    engine = await docker.kept();
    await engine.sleep("one");
    docker.removal = "ends";
  });

  test("the guest is deleted with its volume as soon as that removal has ended", async () => {
    await engine.remove("one");
    expect(docker.left()).toEqual([]);
  });

  test("the guest wakes in a new container, around its volume", async () => {
    docker.before = async (_, path) => {
      if (path === "/containers/create") docker.removal = "none";
      return undefined;
    };
    await engine.wake("one");
    expect(docker.containers.get("handrail-one")).toMatchObject({ Id: "id-2", running: true });
    expect(docker.left()).toEqual(["handrail-one", "handrail-one", network]);
  });

  test("and that removal fails, a person may ask again, and a later search removes the rest", async () => {
    docker.removal = "fails";
    await expect(engine.remove("one")).rejects.toMatchObject({
      ...{ code: "sandbox_unreachable", retryable: true },
      message: expect.stringContaining("has not finished removing"),
    });
    docker.removal = "none";
    await engine.tend?.();
    expect(docker.left()).toEqual([]);
  });
});
