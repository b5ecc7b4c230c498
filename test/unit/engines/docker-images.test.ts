// The images of guests in docker: exactly the image that a person allowed runs, even if its name means
// another one later.
import { beforeEach, expect, test } from "vitest";
import { DockerAnswers, spec } from "../../fakes/engines/docker-answers.ts";

let docker: DockerAnswers;
beforeEach(() => {
  docker = new DockerAnswers();
});

test("a guest gets the image that was tried, even if its tag has moved", async () => {
  const engine = await docker.kept();
  const tried = await engine.images?.try("one", "node:22");
  docker.tagged = "2";
  await engine.images?.use("one", "node:22", tried);
  expect(docker.containers.get("handrail-one")?.image).toBe("sha256:1");
  expect(await engine.find("one")).toMatchObject({ image: "node:22" });
});

test("an allowed image is remembered by its id: an image that its tag points to later needs a new permission", async () => {
  const engine = await docker.kept();
  const tried = await engine.images?.try("one", "node:22");
  await engine.images?.use("one", "node:22", tried);
  // A later wake with the same name finds the guest in that image already.
  docker.tagged = "2";
  await engine.images?.use("one", "node:22", await engine.images?.try("one", "node:22"));
  docker.containers.clear();
  await engine.wake("one");
  expect(docker.containers.get("handrail-one")?.image).toBe("sha256:1");
  expect(await engine.find("one")).toMatchObject({ image: "node:22" });
  docker.containers.clear();
  await engine.create(spec);
  expect(docker.containers.get("handrail-one")?.image).toBe("sha256:1");
});

test("if the allowed image no longer exists, the guest starts in its first one, and the person is asked again", async () => {
  const engine = await docker.kept();
  await engine.images?.use("one", "node:22", await engine.images?.try("one", "node:22"));
  docker.pruned = ["sha256:1"];
  docker.tagged = "2";
  docker.containers.clear();
  await engine.wake("one");
  expect(docker.containers.get("handrail-one")?.Labels["handrail.image"]).toBe("handrail-sandbox");
  const found = await engine.find("one");
  expect(found).toMatchObject({ state: "ready" });
  expect(found).not.toHaveProperty("image");
});

test("the container that fills the volume with our server has ended before it is deleted", async () => {
  const asked: string[] = [];
  const engine = await docker.kept();
  docker.before = async (method, path) => {
    if (path.includes("-filler")) asked.push(`${method} ${path.split("/")[3] ?? ""}`.trim());
    return undefined;
  };
  await engine.images?.use("one", "node:22");
  expect(asked).toEqual(["POST start", "POST wait", "DELETE"]);
});

test("a guest that already has the image is not recreated", async () => {
  const engine = await docker.kept();
  await engine.images?.use("one", "node:22");
  const made = docker.containers.get("handrail-one")?.Id;
  await engine.images?.try("one", "node:22");
  await engine.images?.use("one", "node:22");
  expect(docker.containers.get("handrail-one")?.Id).toBe(made);
  expect(await engine.find("one")).toMatchObject({ state: "ready", image: "node:22" });
  // A repeated creation does not change the image either, after the container was removed.
  docker.containers.clear();
  await engine.create(spec);
  expect(await engine.find("one")).toMatchObject({ state: "ready", image: "node:22" });
});

test("a guest that another edge wakes in its old image meanwhile is not reported with the new one", async () => {
  const engine = await docker.kept();
  const old = docker.containers.get("handrail-one");
  docker.before = async (method, path) => {
    if (method === "POST" && path === "/containers/create" && old) docker.containers.set("handrail-one", old);
    return undefined;
  };
  await expect(engine.images?.use("one", "node:22")).rejects.toMatchObject({ code: "sandbox_unreachable" });
});
