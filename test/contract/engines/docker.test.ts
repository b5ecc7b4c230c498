// The engine `docker` with a real Docker engine: guests are made, sleep, wake, are found again and removed.
// @module-tag long
import { mkdtempSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Endpoint } from "../../../functions/engines/engine.ts";
import { canRunDocker, type DockerEngine } from "../../harness/docker.ts";
import { DockerGuests } from "../../harness/docker-guests.ts";
import { tcpTo } from "../../harness/far-engine.ts";

const spec = { network: "none", workspace: "sample project" } as const;

async function run(
  { url, headers, fetch = globalThis.fetch }: Endpoint,
  id: string,
  command: string,
): Promise<string> {
  const calls = [{ key: `run-${command}`, op: "exec", args: { command } }];
  const body = JSON.stringify({ access: "write", calls });
  const answer = await fetch(`${url}/v1/sandboxes/${id}/calls`, { method: "POST", headers, body });
  return answer.text();
}

async function makeSandbox({ url, headers, fetch = globalThis.fetch }: Endpoint, id: string): Promise<void> {
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

  test("a guest is created, sleeps, wakes with its files, and leaves nothing when it is removed", async () => {
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

  test("a remote engine is used through its own API alone", async () => {
    const wire = await tcpTo(guests().docker.address.replace("unix://", ""));
    const engine = await guests().engine({ HANDRAIL_DOCKER_HOST: `tcp://127.0.0.1:${wire.port}` });
    const { guest, endpoint } = await engine.create({ ...spec, name: "far" });
    await makeSandbox(endpoint, "s1");
    expect(await run(endpoint, "s1", "seq 20000 | md5sum; seq 20000")).toContain("19999\\n20000");
    expect(guests().docker.docker("port", `handrail-new-${guest}`)).toBe("");
    await engine.remove(guest);
    wire.close();
  });

  test("a guest is isolated: no capabilities, limits on every resource, none of the host's files, no access to other guests' state", async () => {
    const engine = await guests().engine({ HANDRAIL_GUEST_MEMORY: "512", HANDRAIL_GUEST_CPUS: "0.5" });
    const { guest } = await engine.create({ ...spec, name: "shut" });
    const form =
      "{{.Config.User}} {{.HostConfig.ReadonlyRootfs}} {{.HostConfig.CapDrop}} {{.HostConfig.Memory}} {{.HostConfig.NanoCpus}} {{.HostConfig.PidsLimit}}";
    const name = `handrail-new-${guest}`;
    expect(guests().docker.docker("inspect", "-f", form, name)).toBe(
      "1000:1000 true [ALL] 536870912 500000000 1024",
    );
    const inside = (command: string) => guests().docker.docker("exec", name, "sh", "-c", command);
    expect(inside("grep -E 'NoNewPrivs|CapEff|^Seccomp:' /proc/self/status")).toMatch(
      /CapEff:\s0+\nNoNewPrivs:\s1\nSeccomp:\s2/,
    );
    // The system calls that the jail refuses are refused to its server too, except those with which jails are
    // made.
    expect(inside("unshare --user true && echo made")).toBe("made");
    expect(
      inside("touch /x 2>&1 || true; nsenter --version >/dev/null; nsenter -t 1 -U true 2>&1 || true"),
    ).toMatch(/Read-only file system\n.*Operation not permitted/);
    await engine.remove(guest);
  });

  test("commands in a guest reach no other guest, not the host, and no metadata service, even with the network open", async () => {
    const engine = await guests().engine();
    const one = await engine.create({ ...spec, name: "attacker", network: "full" });
    await engine.create({ ...spec, name: "victim" });
    const { docker } = guests();
    const told = (form: string, name: string) =>
      docker.docker(
        "inspect",
        "-f",
        `{{range .NetworkSettings.Networks}}{{.${form}}}{{end}}`,
        `handrail-new-${name}`,
      );
    let reached = 0;
    const machine = createServer((socket) => {
      reached += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => machine.listen(0, "0.0.0.0", resolve));
    const { port } = machine.address() as AddressInfo;
    const gateway = `${told("Gateway", "attacker")}:${port}`;
    const places = [
      `${told("IPAddress", "victim")}:8788`,
      gateway,
      `127.0.0.1:${port}`,
      "169.254.169.254:80",
    ];
    await makeSandbox(one.endpoint, "s1");
    const tries = places.map((place) => {
      const direct = `timeout 3 bash -c 'exec 3<>/dev/tcp/${place.replace(":", "/")}' && echo got through`;
      return `${direct}; timeout 5 git ls-remote http://${place}/r && echo got through`;
    });
    expect(await run(one.endpoint, "s1", tries.join("; "))).not.toContain("got through\\n");
    expect(reached).toBe(0);
    // The machine listens at this address. Only commands of a session must not reach it; other programs in
    // the container may.
    const node = `require('net').connect(${port}, '${gateway.split(":")[0]}').on('connect', () => process.exit())`;
    docker.docker("exec", "handrail-new-attacker", "/opt/handrail/node", "-e", node);
    await expect.poll(() => reached).toBe(1);
    machine.close();
    for (const name of ["attacker", "victim"]) await engine.remove(name);
  });

  test("a creation that an edge began and did not finish is cleaned up later, and so is a removal", async () => {
    const engine = await guests().engine();
    await engine.create({ ...spec, name: "unfinished" });
    await engine.tend?.();
    expect(guests().left()).toContain("handrail-new-unfinished");
    const label = guests().docker.docker(
      "volume",
      "inspect",
      "-f",
      '{{index .Labels "handrail.owner"}}',
      "handrail-unfinished",
    );
    const volume = (name: string, ...own: string[]) => {
      const given = [`handrail.owner=${label}`, ...own].flatMap((each) => ["--label", each]);
      guests().docker.docker("volume", "create", ...given, name);
    };
    volume("handrail-removed-half", "handrail.removed=half");
    // This creation ended before its container was made.
    volume("handrail-begun-bare", `handrail.begun=${Date.now()}`);
    volume("handrail-bare");
    const late = await guests().engine({}, () => Date.now() + 11 * 60_000);
    await late.tend?.();
    expect(guests().left()).toEqual([]);
  });

  test("a guest is recreated in the image that its repository names, with its files, and is left as it was where no session works in it", async () => {
    const { docker } = guests();
    image(
      docker,
      "foreign",
      "RUN rm -f /usr/bin/bwrap /usr/bin/rg /usr/local/bin/node && mkdir /opt/tools && printf '#!/bin/sh\\necho foreign\\n' > /opt/tools/tool && chmod 755 /opt/tools/tool",
      "ENV NODE_OPTIONS=--require=/nowhere PATH=/opt/tools:/usr/bin:/bin",
    );
    image(docker, "gitless", "RUN rm -f /usr/bin/git");
    const engine = await guests().engine({ HANDRAIL_IMAGES: "foreign,gitless,absent" });
    const { guest, endpoint } = await engine.create({ ...spec, name: "named" });
    await makeSandbox(endpoint, "s1");
    await engine.keep?.(guest);
    await run(endpoint, "s1", "echo kept > kept.txt");

    await engine.images?.try(guest, "foreign");
    const given = await engine.images?.use(guest, "foreign");
    if (!given) throw new Error("docker has images");
    expect(await run(given, "s1", "cat kept.txt; tool")).toMatch(/kept\\nforeign\\n/);
    expect(await engine.find(guest)).toEqual({ state: "ready", endpoint: given, image: "foreign" });
    // The guest's jail uses the bubblewrap that we mount, and the server's own folder cannot be reached.
    expect(await run(given, "s1", "ls /state; tr '\\0' '\\n' < /proc/1/environ")).not.toMatch(
      /SANDBOX_TOKEN|lease/,
    );

    for (const [wrong, words] of [
      ["gitless", "git is missing"],
      ["absent", "could not fetch"],
      ["other", "HANDRAIL_IMAGES"],
    ] as const)
      await expect(engine.images?.try(guest, wrong)).rejects.toMatchObject({
        code: "invalid_request",
        message: expect.stringContaining(words),
      });
    const after = await engine.find(guest);
    expect(after).toEqual({ state: "ready", endpoint: given, image: "foreign" });
    await engine.sleep(guest);
    expect(await run(await engine.wake(guest), "s1", "tool # again")).toContain("foreign\\n");
    // The guest keeps its image even after its container was removed and the image's name means another one.
    docker.docker("tag", "gitless", "foreign");
    docker.docker("rm", "-f", `handrail-${guest}`);
    expect(await run(await engine.wake(guest), "s1", "cat kept.txt; tool # anew")).toMatch(
      /kept\\nforeign\\n/,
    );
    await engine.remove(guest);
    expect(
      guests()
        .left()
        .filter((name) => !name.startsWith("handrail-program-")),
    ).toEqual([]);
  });

  test("a container that somebody removed is recreated around its volume", async () => {
    const engine = await guests().engine();
    const { guest, endpoint } = await engine.create({ ...spec, name: "lost" });
    await makeSandbox(endpoint, "s1");
    await engine.keep?.(guest);
    await run(endpoint, "s1", "echo kept > kept.txt");
    guests().docker.docker("rm", "-f", `handrail-${guest}`);
    expect(await engine.find(guest)).toEqual({ state: "asleep" });
    expect(await run(await engine.wake(guest), "s1", "cat kept.txt")).toContain("kept\\n");
    await engine.remove(guest);
  });
});

/** Builds an image that is based on this engine's image. */
function image(docker: DockerEngine, tag: string, ...lines: string[]): void {
  const context = mkdtempSync(join(docker.folder, "image-"));
  const file = join(context, "Containerfile");
  writeFileSync(file, ["FROM handrail-base", ...lines].join("\n"));
  docker.build(context, file, tag);
}
