// The disk of a guest in docker, limited by the engine itself.
import { beforeEach, expect, test } from "vitest";
import { dockerSettings } from "../../../functions/engines/docker/docker-settings.ts";
import { DockerAnswers, spec } from "../../fakes/engines/docker-answers.ts";

let docker: DockerAnswers;
beforeEach(() => {
  docker = new DockerAnswers();
});
const optionsOf = (name: string) => docker.volumes.get(name)?.options;

test("HANDRAIL_GUEST_DISK limits the volume, and without it the engine is asked for no limit", async () => {
  await docker.kept();
  expect(optionsOf("handrail-one")).toEqual({});
  docker = new DockerAnswers();
  docker.env = { HANDRAIL_GUEST_DISK: "64" };
  await docker.kept();
  expect(optionsOf("handrail-one")).toEqual({ size: "67108864" });
});

test("Podman is asked for the limit in its own form", async () => {
  docker.env = { HANDRAIL_GUEST_DISK: "64" };
  docker.before = async (_, path) =>
    path === "/version" ? Response.json({ Components: [{ Name: "Podman Engine" }] }) : undefined;
  await docker.kept();
  expect(optionsOf("handrail-one")).toEqual({ o: "size=67108864" });
});

test("an engine without project quotas makes no guest, says what it needs, and keeps nothing", async () => {
  docker.env = { HANDRAIL_GUEST_DISK: "64" };
  const message = "create handrail-one: quota size requested but no quota support";
  let volumes = 0;
  docker.before = async (_, path) => {
    if (path === "/volumes/create") volumes += 1;
    // The first volume is the mark of a creation, the second one the guest's own.
    return path === "/volumes/create" && volumes === 2
      ? Response.json({ message }, { status: 400 })
      : undefined;
  };
  await expect((await docker.open()).create(spec)).rejects.toMatchObject({
    code: "invalid_request",
    message: expect.stringMatching(/XFS, mounted with pquota.*HANDRAIL_GUEST_DISK/),
  });
  expect(docker.left()).toEqual([]);
});

test("our server's own limits leave room in the volume for its journal, unless they are set", () => {
  const size = (env: Record<string, string>) => {
    const { diskMiB, stateMiB } = dockerSettings(env).size;
    return [diskMiB, stateMiB];
  };
  expect(size({})).toEqual([undefined, undefined]);
  expect(size({ HANDRAIL_GUEST_DISK: "1000" })).toEqual(["750", "250"]);
  const set = { HANDRAIL_GUEST_DISK: "1000", HANDRAIL_DISK_QUOTA: "10", HANDRAIL_STATE_BUDGET: "20" };
  expect(size(set)).toEqual(["10", "20"]);
});
