// Each guest's own network on a Docker engine with its firewall: guests cannot reach each other, edges reach
// all of them, and outside machines are reached as usual.
// @module-tag long
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dockerApi } from "../../../functions/engines/docker/docker-api.ts";
import { dockerSettings } from "../../../functions/engines/docker/docker-settings.ts";
import { guestNetworks } from "../../../functions/engines/docker/guest-network.ts";
import type { Engine } from "../../../functions/engines/engine.ts";
import { dial } from "../../../functions/node-dial.ts";
import { canRunDocker, must } from "../../harness/docker.ts";
import { DockerGuests } from "../../harness/docker-guests.ts";
import { clientOf } from "../../harness/engine-stage.ts";
import { has, tcpTo } from "../../harness/far-engine.ts";

const spec = { network: "none", workspace: "sample project" } as const;
const outside = "203.0.113.2";

describe.skipIf(!canRunDocker)("networks of guests", () => {
  let guests: DockerGuests;
  let engine: Engine;
  let wire: { port: number; close(): void };
  beforeAll(async () => {
    guests = await DockerGuests.start(true);
    wire = await tcpTo(guests.docker.address.replace("unix://", ""));
    engine = await guests.engine({ HANDRAIL_DOCKER_HOST: `tcp://127.0.0.1:${wire.port}` });
  }, 900_000);
  afterAll(async () => {
    wire?.close();
    await guests?.close();
  });

  const made = async (name: string) => {
    const { guest, endpoint } = await engine.create({ ...spec, name });
    await engine.keep?.(guest);
    return endpoint;
  };
  const told = (form: string, name: string) =>
    guests.docker.docker(
      "inspect",
      "-f",
      `{{range .NetworkSettings.Networks}}{{.${form}}}{{end}}`,
      `handrail-${name}`,
    );
  /** Connects from the guest itself, as an attacker who has taken over its server could. */
  const connects = (from: string, host: string, port: number) => {
    const script = `const socket = require("net").connect({ host: "${host}", port: ${port} });
      const end = (word) => { console.log(word); process.exit(); };
      setTimeout(end, 3000, "nothing");
      socket.on("connect", () => end("connected")).on("error", () => end("refused"));`;
    return guests.docker.docker("exec", `handrail-${from}`, "/opt/handrail/node", "-e", script);
  };

  test("a guest reaches its own server and no other guest's, and the edge reaches both, also after a sleep", async () => {
    const endpoints = [await made("one"), await made("two")];
    for (const endpoint of endpoints) {
      const { id } = await clientOf(endpoint).create({ source: { sample: true } });
      expect(await clientOf(endpoint).call(id, "exec", { command: "true" })).toMatchObject({ ok: true });
    }
    expect(told("NetworkID", "one")).not.toBe(told("NetworkID", "two"));
    expect(connects("one", told("IPAddress", "one"), 8788)).toBe("connected");
    expect(connects("one", told("IPAddress", "two"), 8788)).toBe("nothing");
    await engine.sleep("two");
    const woken = await engine.wake("two");
    expect((await clientOf(woken).get("/capabilities")).status).toBe(200);
    expect(connects("two", told("IPAddress", "one"), 8788)).toBe("nothing");
    expect(connects("one", told("IPAddress", "two"), 8788)).toBe("nothing");
    for (const name of ["one", "two"]) await engine.remove(name);
    expect(guests.left()).toEqual([]);
  });

  test.skipIf(!has("ip"))(
    "a guest's server reaches what is outside, under the machine's address",
    async () => {
      await made("reaches");
      const place = await outsideOf(guests.docker.pid);
      try {
        expect(connects("reaches", outside, place.port)).toBe("connected");
        expect(await place.seen).toContain("203.0.113.1");
      } finally {
        place.close();
      }
      await engine.remove("reaches");
    },
  );

  test("a network that was pruned while its guest slept is made again, and the guest wakes with its files", async () => {
    const { id } = await clientOf(await made("pruned")).create({ source: { sample: true } });
    await engine.sleep("pruned");
    guests.docker.docker("network", "prune", "-f");
    const woken = clientOf(await engine.wake("pruned"));
    expect((await woken.get(`/sandboxes/${id}/file?path=README.md`)).status).toBe(200);
    await engine.remove("pruned");
    expect(guests.left()).toEqual([]);
  });

  test("sixty guests have networks at once, twice as many as Docker's own pools hold", async () => {
    const api = dockerApi(dial(guests.docker.address));
    const { addresses: range } = dockerSettings({});
    const networks = guestNetworks({ api, owner: "us", range });
    const names = Array.from({ length: 60 }, (_, index) => `many${index}`);
    const ids = new Set<string>();
    // Ten at the same time, as several edges would.
    for (let from = 0; from < names.length; from += 10)
      for (const id of await Promise.all(names.slice(from, from + 10).map(networks.idFor))) ids.add(id);
    expect(ids.size).toBe(60);
    for (const name of names) await networks.remove(name);
    expect(guests.left()).toEqual([]);
  });
});

/**
 * A separate machine connected to the network namespace of `pid`. `seen`: the addresses from which
 * connections came.
 */
async function outsideOf(pid: number) {
  const script = `require("net").createServer((socket) => { console.log("from " + socket.remoteAddress); socket.end(); })
    .listen(0, "0.0.0.0", function () { console.log(this.address().port); });`;
  const machine = spawn("unshare", ["--net", "--", process.execPath, "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = Number(await line(machine));
  const inside = (...args: string[]) => must("nsenter", "-t", String(pid), "--net", "ip", ...args);
  const there = (...args: string[]) => must("nsenter", "-t", String(machine.pid), "--net", "ip", ...args);
  inside("link", "add", "out", "type", "veth", "peer", "name", "in", "netns", String(machine.pid));
  inside("address", "add", "203.0.113.1/24", "dev", "out");
  there("address", "add", `${outside}/24`, "dev", "in");
  inside("link", "set", "out", "up");
  there("link", "set", "in", "up");
  return { port, seen: line(machine), close: () => void machine.kill() };
}

async function line({ stdout }: ChildProcess): Promise<string> {
  const [text] = stdout ? await once(stdout, "data") : [];
  return String(text).trim();
}
