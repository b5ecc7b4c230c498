// The kinds of address that HANDRAIL_DOCKER_HOST may have, each with the real programs: TLS, ssh, Podman.
// @module-tag long
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Engine } from "../../../functions/engines/engine.ts";
import { canRunDocker } from "../../harness/docker.ts";
import { DockerGuests } from "../../harness/docker-guests.ts";
import { clientOf } from "../../harness/engine-stage.ts";
import { freePort, has, keysIn, PodmanEngine, sshTo } from "../../harness/far-engine.ts";

const spec = { network: "none", workspace: "sample project" } as const;

/** Makes a guest, works in it, lets it sleep and wake, gives it `image`, and removes it. */
async function lives(engine: Engine, name: string, image?: string): Promise<void> {
  const { guest, endpoint } = await engine.create({ ...spec, name });
  const { id } = await clientOf(endpoint).create({ source: { sample: true } });
  await engine.keep?.(guest);
  const command = "seq 20000 > kept.txt; id -u";
  const done = { ok: true, value: { stdout: "1000\n" } };
  expect(await clientOf(endpoint).call(id, "exec", { command })).toMatchObject(done);
  await engine.sleep(guest);
  expect(await engine.find(guest)).toEqual({ state: "asleep" });
  await engine.wake(guest);
  if (image) await engine.images?.try(guest, image);
  if (image) await engine.images?.use(guest, image);
  let found = await engine.find(guest);
  // On a busy machine one new connection over ssh can take longer than `find` waits.
  while (found.state === "starting") found = await engine.find(guest);
  if (found.state !== "ready") throw new Error(`the guest is ${found.state}`);
  expect(found.image).toBe(image);
  const { body } = await clientOf(found.endpoint).get(`/sandboxes/${id}/file?path=kept.txt`);
  expect(body).toMatch(/\n20000\n$/);
  await engine.remove(guest);
  expect(await engine.find(guest)).toEqual({ state: "gone" });
  expect(await engine.list()).toEqual([]);
}

describe.skipIf(!canRunDocker)("an engine elsewhere", () => {
  let guests: DockerGuests;
  let port = 0;
  let keys = "";
  beforeAll(async () => {
    guests = await DockerGuests.start();
    keys = join(guests.docker.folder, "keys");
    keysIn(keys);
    port = await freePort();
    await guests.docker.stopDaemon();
    const files = { tlscacert: "ca", tlscert: "server-cert", tlskey: "server-key" };
    const options = Object.entries(files).map(([option, name]) => `--${option}=${join(keys, `${name}.pem`)}`);
    await guests.docker.startDaemon("--tlsverify", ...options, "-H", `tcp://127.0.0.1:${port}`);
  }, 900_000);
  afterEach(() => {
    vi.unstubAllEnvs();
  });
  afterAll(() => guests?.close());

  test("over TCP with TLS a guest works as over the local socket; without the client's key nobody gets in", async () => {
    const far = (scheme: string) => guests.engine({ HANDRAIL_DOCKER_HOST: `${scheme}://127.0.0.1:${port}` });
    await expect((await far("tcp")).list()).rejects.toThrow();
    await expect((await far("https")).list()).rejects.toMatchObject({ code: "sandbox_unreachable" });
    vi.stubEnv("DOCKER_TLS_VERIFY", "1");
    vi.stubEnv("DOCKER_CERT_PATH", keys);
    await lives(await far("tcp"), "overtls");
  });

  test.skipIf(!has("sshd"))("over ssh a guest works as over the local socket", async () => {
    const way = await sshTo(guests.docker.address);
    try {
      vi.stubEnv("PATH", `${way.bin}:${process.env.PATH}`);
      const address = `ssh://root@127.0.0.1:${way.port}`;
      await lives(await guests.engine({ HANDRAIL_DOCKER_HOST: address }), "overssh");
    } finally {
      way.close();
    }
  });

  test.skipIf(!has("podman") || !has("catatonit"))(
    "Podman runs guests as Docker does, with their jail",
    async () => {
      const podman = await PodmanEngine.start(join(guests.docker.folder, "sandbox-image"));
      try {
        const other = join(podman.folder, "other");
        mkdirSync(other);
        writeFileSync(
          join(other, "Containerfile"),
          "FROM handrail-base\nRUN rm /usr/bin/bwrap /usr/local/bin/node\n",
        );
        podman.podman("build", "-q", "--network=none", "-t", "other", other);
        await lives(
          await guests.engine({ HANDRAIL_DOCKER_HOST: podman.address }),
          "inpodman",
          "localhost/other",
        );
      } finally {
        podman.close();
      }
    },
  );
});
