// The engine cloudflare with workerd and real containers: snapshots, restarts, deaths.
// @module-tag long
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Engine } from "../../../functions/engines/engine.ts";
import { containerPrefix } from "../../../scripts/cloudflare/local-guests.ts";
import { canRunDocker } from "../../harness/docker.ts";
import { clientOf, newSpec, openEngine } from "../../harness/engine-stage.ts";
import { type LocalCloudflare, openLocalCloudflare, sidecarImage } from "../../harness/local-cloudflare.ts";
import { runStart } from "../../harness/product.ts";

const token = "a-token-of-these-tests-of-32-characters";
const script = "scripts/dev-cloudflare.ts";

describe.skipIf(!canRunDocker)("guests of cloudflare in workerd and Docker", () => {
  let opened: { site: LocalCloudflare; engine: Engine } | undefined;
  const stage = () => {
    if (!opened) throw new Error("the site is not open");
    return opened;
  };
  const docker = (...args: string[]) => stage().site.docker.docker(...args);
  const lines = (...args: string[]) =>
    docker(...args)
      .split("\n")
      .filter(Boolean);
  /** The containers of guests; each also has a sidecar. */
  const containers = (format: string) =>
    lines("ps", "--filter", `name=${containerPrefix}`, "--format", `{{.Names}} ${format}`)
      .filter((line) => !line.includes("-proxy "))
      .map((line) => line.split(" ")[1] ?? "");
  const snapshots = () => lines("images", "-q", "--filter", "reference=workerd-container-snap-*");

  beforeAll(async () => {
    const site = await openLocalCloudflare();
    opened = { site, engine: await openEngine("cloudflare", { env: {}, platform: site.platform }) };
  }, 900_000);
  afterAll(() => opened?.site.close());

  async function withFile() {
    const { engine } = stage();
    const { guest, endpoint } = await engine.create(newSpec());
    const { id } = await clientOf(endpoint).create({ source: { sample: true } });
    await engine.keep?.(guest);
    const write = async (text: string) => {
      const found = await engine.find(guest);
      if (found.state !== "ready") throw new Error(`the guest is ${found.state}`);
      await clientOf(found.endpoint).call(id, "exec", { command: `echo ${text} > kept.txt` });
    };
    await write("kept");
    const read = async () => {
      const client = clientOf(await engine.wake(guest));
      return (await client.get(`/sandboxes/${id}/file?path=kept.txt`)).body;
    };
    return { guest, write, read };
  }

  test("a sleeping guest has no container, and wakes from the snapshot of its own", async () => {
    const { engine } = stage();
    const { guest, read } = await withFile();
    expect(containers("{{.Image}}")).toEqual(["handrail-sandbox"]);
    await engine.sleep(guest);
    expect(lines("ps", "-aq")).toEqual([]);
    expect(await read()).toBe("kept\n");
    expect(containers("{{.Image}}")).toEqual([expect.stringMatching(/^workerd-container-snap-/)]);
    await engine.remove(guest);
    expect(lines("ps", "-aq")).toEqual([]);
  });

  test("a guest whose snapshot is gone wakes from the archive in R2", async () => {
    const { engine, site } = stage();
    const { guest, read } = await withFile();
    await engine.sleep(guest);
    docker("rmi", "-f", ...snapshots());
    expect(await read()).toBe("kept\n");
    expect(containers("{{.Image}}")).toEqual(["handrail-sandbox"]);
    await engine.remove(guest);
    expect(await site.archives()).toEqual([]);
  });

  test("a guest goes on while workerd restarts, and sleeps and wakes afterwards", async () => {
    const { engine, site } = stage();
    const { guest, write, read } = await withFile();
    const before = containers("{{.ID}}");
    await site.restart();
    expect((await engine.find(guest)).state).toBe("ready");
    expect(containers("{{.ID}}")).toEqual(before);
    await write("later");
    await engine.sleep(guest);
    expect((await engine.find(guest)).state).toBe("asleep");
    expect(await read()).toBe("later\n");
    await engine.remove(guest);
  });

  test("a container outlives its guest's object: the next object goes on with it, puts it to sleep and wakes it", async () => {
    const { engine, site } = stage();
    const { guest, write, read } = await withFile();
    const before = containers("{{.ID}}");
    await site.evict(guest);
    expect(containers("{{.ID}}")).toEqual(before);
    expect((await engine.find(guest)).state).toBe("ready");
    await write("later");
    await site.evict(guest);
    await engine.sleep(guest);
    expect(lines("ps", "-aq")).toEqual([]);
    await site.evict(guest);
    expect(await engine.find(guest)).toEqual({ state: "asleep" });
    expect(await read()).toBe("later\n");
    await engine.remove(guest);
  });

  test("a guest whose container was removed is gone: what was last saved comes back on request, or nothing was", async () => {
    const { engine } = stage();
    const { guest, write, read } = await withFile();
    await engine.sleep(guest);
    await read();
    await write("lost");
    docker("rm", "-f", ...containers("{{.ID}}"));
    await expect.poll(() => engine.find(guest)).toEqual({ state: "gone", snapshotAt: expect.any(Number) });
    expect(await read()).toBe("kept\n");
    await engine.remove(guest);
    const never = await withFile();
    docker("rm", "-f", ...containers("{{.ID}}"));
    await expect.poll(() => engine.find(never.guest)).toEqual({ state: "gone" });
  });

  test("npm run dev:cloudflare makes sandboxes in containers, and removes them all at its end", async () => {
    const { address, folder } = stage().site.docker;
    const run = runStart(
      {
        ...{ PORT: "0", HANDRAIL_STATE: join(folder, "state"), HANDRAIL_TOKEN: token },
        ...{ DOCKER_HOST: address, MINIFLARE_CONTAINER_EGRESS_IMAGE: sidecarImage },
      },
      script,
    );
    const url = await run.ready;
    if (url === undefined) throw new Error(run.logs());
    const answer = await fetch(`${url}/api/sandboxes`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ source: { sample: true } }),
    });
    expect(await answer.json()).toMatchObject({ guest: { engine: "cloudflare" } });
    expect(containers("{{.Image}}")).toEqual(["handrail-guests-local"]);
    run.child.kill("SIGTERM");
    await run.exit;
    expect(lines("ps", "-aq")).toEqual([]);
  });
});

test("npm run dev:cloudflare says where Docker is missing", async () => {
  const run = runStart({ DOCKER_HOST: "unix:///nowhere/docker.sock" }, script);
  expect(await run.exit).toEqual({ code: 1, signal: null });
  expect(run.logs()).toContain(
    "Sandboxes need Docker here, and it does not answer at unix:///nowhere/docker.sock",
  );
});
