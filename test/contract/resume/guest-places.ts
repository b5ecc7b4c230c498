// The sandboxes of the resume suite, each in its own guest: of a real Docker engine, or of the fakes of E2B
// and Cloudflare.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { EnginePlatform } from "../../../functions/engines/engine.ts";
import { guestPlaceOf } from "../../../functions/engines/guest-id.ts";
import { dial } from "../../../functions/node-dial.ts";
import { E2bHost } from "../../fakes/engines/e2b-host.ts";
import { openCloudflare } from "../../harness/cloudflare-site.ts";
import { DockerGuests } from "../../harness/docker-guests.ts";
import { startDockerWire } from "../../harness/docker-wire.ts";
import { type GuestEngine, openEngine } from "../../harness/engine-stage.ts";
import { startGuestEdge } from "../../harness/guest-edge.ts";
import { startProduct } from "../../harness/product.ts";
import { startSandboxWire } from "../../harness/sandbox-wire.ts";
import { token as secret } from "../../sandbox/running-server.ts";
import type { Place } from "./places.ts";

/** The parts of a place that differ between engines. */
interface Site extends Pick<Place, "wire" | "start" | "close"> {
  /** The settings of an edge whose requests pass through the wire. */
  env: Record<string, string>;
  /** How to reach the engine without the wire. */
  direct: { env: Record<string, string>; platform?: EnginePlatform };
  /** Makes an empty file in a guest's state folder. */
  touch(guest: string, path: string): Promise<void>;
}

export async function openGuests(name: GuestEngine): Promise<Place> {
  const site = await opened[name]();
  const engine = await openEngine(name, site.direct, { secret });
  return {
    env: { HANDRAIL_ENGINE: name, HANDRAIL_ENGINE_SECRET: secret, ...site.env },
    wire: site.wire,
    start: site.start,
    async ask(sandboxId, path, init) {
      const found = await engine.find(guestOf(sandboxId));
      if (found.state !== "ready") throw new Error(`the guest is ${found.state}`);
      const { url, headers, fetch: send = fetch } = found.endpoint;
      return send(`${url}${path}`, { ...init, headers: { ...headers, "content-type": "application/json" } });
    },
    touch: (sandboxId, path) => site.touch(guestOf(sandboxId), path),
    close: site.close,
  };
}

const opened: Readonly<Record<GuestEngine, () => Promise<Site>>> = {
  async e2b() {
    const host = await E2bHost.start();
    const wire = await startSandboxWire(host.url);
    return {
      // Guests of the fakes have no jail.
      env: { ...host.env, E2B_SANDBOX_URL: wire.url, HANDRAIL_GUEST_JAIL: "0" },
      direct: { env: host.env },
      wire,
      start: startProduct,
      touch: (guest, path) => writeFile(join(host.entry(guest).guest.state, path), ""),
      async close() {
        wire.close();
        await host.close();
      },
    };
  },
  async cloudflare() {
    const { host, url, platform, close } = await openCloudflare();
    const wire = await startSandboxWire(url);
    return {
      env: { HANDRAIL_GUEST_JAIL: "0" },
      direct: { env: {}, platform },
      wire,
      // The edge runs on Workers, and its binding passes through the wire. It is told to run on this machine,
      // where MCP servers may also be.
      start: ({ env }) => startGuestEdge(wire.url, { HANDRAIL_HOST: "127.0.0.1", ...env }),
      async touch(guest, path) {
        const state = host.running.get(guest)?.guest.state;
        if (!state) throw new Error(`${guest} does not run`);
        await writeFile(join(state, path), "");
      },
      async close() {
        wire.close();
        await close();
      },
    };
  },
  async docker() {
    const guests = await DockerGuests.start();
    const wire = await startSandboxWire("http://127.0.0.1:9");
    const api = await startDockerWire(guests.docker, wire);
    return {
      env: { HANDRAIL_DOCKER_HOST: api.address },
      direct: {
        env: { HANDRAIL_DOCKER_HOST: guests.docker.address },
        platform: { dial: async () => dial },
      },
      wire,
      start: startProduct,
      async touch(guest, path) {
        const [name] = guests.left().filter((left) => left.endsWith(guest));
        guests.docker.docker("exec", name ?? guest, "touch", `/state/${path}`);
      },
      async close() {
        api.close();
        wire.close();
        await guests.close();
      },
    };
  },
};

function guestOf(sandboxId: string): string {
  const place = guestPlaceOf(sandboxId);
  if (!place) throw new Error(`${sandboxId} has no guest`);
  return place.guest;
}
