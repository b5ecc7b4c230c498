// The engine `docker` against a real Docker engine: what a guest is, sleeps, wakes, is found again and removed.
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Endpoint } from "../../../functions/engines/engine.ts";
import { canRunDocker } from "../../harness/docker.ts";
import { DockerGuests } from "../../harness/docker-guests.ts";

const spec = { network: "none", workspace: "sample project" } as const;

async function run({ url, headers }: Endpoint, id: string, command: string): Promise<string> {
  const calls = [{ key: `run-${command}`, op: "exec", args: { command } }];
  const body = JSON.stringify({ access: "write", calls });
  const answer = await fetch(`${url}/v1/sandboxes/${id}/calls`, { method: "POST", headers, body });
  return answer.text();
}

async function makeSandbox({ url, headers }: Endpoint, id: string): Promise<void> {
  const body = JSON.stringify({ id, source: { sample: true } });
  const answer = await fetch(`${url}/v1/sandboxes`, { method: "POST", headers, body });
  expect(answer.status).toBe(201);
}

describe.skipIf(!canRunDocker)("guests in docker", () => {
  let started: DockerGuests | undefined;
  const guests = () => {
    if (!started) throw new Error("the engine is not running");
    return started;
  };
  beforeAll(async () => {
    started = await DockerGuests.start();
  }, 900_000);
  afterAll(() => started?.close());

  test("a guest is made, sleeps, wakes with its files, and leaves nothing when it is removed", async () => {
    const engine = await guests().engine();
    const { guest, endpoint } = await engine.create({ ...spec, name: "first" });
    await makeSandbox(endpoint, "s1");
    await engine.keep?.(guest);
    expect(await run(endpoint, "s1", "echo kept > kept.txt; id -u; touch /outside")).toMatch(
      /1000\\n.*Read-only file system/,
    );
    expect(await engine.list()).toMatchObject([{ guest, state: "ready", workspace: "sample project" }]);

    await engine.sleep(guest);
    expect(await engine.find(guest)).toEqual({ state: "asleep" });
    const woken = await engine.wake(guest);
    expect(await run(woken, "s1", "cat kept.txt")).toContain("kept\\n");
    expect(await engine.find(guest)).toEqual({ state: "ready", endpoint: woken });

    await engine.remove(guest);
    expect(await engine.find(guest)).toEqual({ state: "gone" });
    expect(guests().left()).toEqual([]);
    await expect(engine.wake(guest)).rejects.toMatchObject({ code: "not_found" });
    await engine.remove(guest);
  });
});
