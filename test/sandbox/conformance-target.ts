// The server that the conformance suite looks at: the built single file, the one that HANDRAIL_CONFORMANCE_URL and
// HANDRAIL_CONFORMANCE_TOKEN name, or that of a guest of the engine that HANDRAIL_ENGINE_CONFORMANCE names. The suite sees
// it through /v1 alone and makes its sandboxes from the sample.
import { afterAll, beforeAll, describe } from "vitest";
import {
  clientOf,
  type GuestEngine,
  newSpec,
  oneTarget,
  openEngine,
  openSite,
} from "../harness/engine-stage.ts";
import { RunningServer, removeFolders, type ServerSettings } from "./running-server.ts";
import { SandboxClient } from "./sandbox-client.ts";

export interface Target {
  client: SandboxClient;
  stop(): Promise<unknown>;
}

/** `settings` are those of our own server; another one is taken as it runs. */
export async function conformanceTarget(settings: ServerSettings = {}): Promise<Target> {
  const { HANDRAIL_CONFORMANCE_URL: url, HANDRAIL_CONFORMANCE_TOKEN: token } = process.env;
  if (url) {
    if (!token)
      throw new Error(
        "HANDRAIL_CONFORMANCE_TOKEN: give the token of the server at HANDRAIL_CONFORMANCE_URL.",
      );
    return { client: new SandboxClient(url.replace(/\/(v1\/?)?$/, ""), token), stop: async () => undefined };
  }
  const engine = oneTarget();
  if (engine) return guestTarget(engine);
  const server = await RunningServer.start(settings);
  return { client: server.client, stop: () => server.stop() };
}

async function guestTarget(name: GuestEngine): Promise<Target> {
  const site = await openSite(name);
  const engine = await openEngine(name, site);
  const { guest, endpoint } = await engine.create(newSpec());
  const stop = async () => {
    await engine.remove(guest);
    await site.close();
  };
  return { client: clientOf(endpoint), stop };
}

const machines = [
  { name: "with ripgrep and bubblewrap", env: {} },
  { name: "without either", env: { HANDRAIL_NO_RG: "1", HANDRAIL_NO_BWRAP: "1" } },
];

/** Declares the tests of `body` for a machine with its tools and for one without; `client` is there once they run. */
export function describeMachines(body: (client: () => SandboxClient) => void): void {
  describe.each(machines)("$name", ({ env }) => {
    let target: Target | undefined;
    beforeAll(async () => {
      target = await conformanceTarget({ env });
    });
    afterAll(async () => {
      await target?.stop();
      await removeFolders();
    });
    body(() => {
      if (!target) throw new Error("the server is not running");
      return target.client;
    });
  });
}

export const hello = { path: "notes/hello.txt", content: "one\ntwo\nthree\n", base: null };
