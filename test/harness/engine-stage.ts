// Opens an engine for tests, and decides which ones are tested: HANDRAIL_ENGINE_CONFORMANCE names some of
// them; by default all are. If E2B_API_KEY, E2B_API_URL and so on are set, a real host replaces the fake.
import { readFile } from "node:fs/promises";
import { describe } from "vitest";
import {
  type Endpoint,
  type Engine,
  type EngineContext,
  type EngineName,
  type EnginePlatform,
  engineNames,
} from "../../functions/engines/engine.ts";
import { guestToken, ownerOf, sandboxIdOf } from "../../functions/engines/guest-id.ts";
import { engineNamesIn, loadEngine } from "../../functions/engines/known-engines.ts";
import { dial } from "../../functions/node-dial.ts";
import { withoutDocker } from "../../scripts/test/find-tools.ts";
import { E2bHost } from "../fakes/engines/e2b-host.ts";
import { builtServer } from "../sandbox/running-server.ts";
import { SandboxClient } from "../sandbox/sandbox-client.ts";
import { openCloudflare } from "./cloudflare-site.ts";
import { canRunDocker } from "./docker.ts";
import { DockerGuests } from "./docker-guests.ts";

export type GuestEngine = Exclude<EngineName, "here">;

const made = engineNames.filter((name) => name !== "here");

export function engineTargets(): readonly GuestEngine[] {
  const setting = process.env.HANDRAIL_ENGINE_CONFORMANCE;
  return setting ? engineNamesIn(setting).filter((name) => name !== "here") : made;
}

/** Declares tests for each engine of this run. Those of `docker` are visibly skipped if it cannot run. */
export function describeEngines(body: (name: GuestEngine) => void): void {
  for (const name of engineTargets()) {
    const runs = name !== "docker" || canRunDocker || process.env.HANDRAIL_DOCKER_HOST !== undefined;
    describe.skipIf(!runs)(runs ? name : withoutDocker, () => body(name));
  }
}

/** The settings that an edge needs to use the engine. */
export interface EngineSite {
  env: Readonly<Record<string, string | undefined>>;
  platform?: EnginePlatform;
  close(): Promise<void>;
}

export async function openSite(name: GuestEngine): Promise<EngineSite> {
  if (name === "e2b" && !process.env.E2B_API_KEY) {
    const host = await E2bHost.start();
    return { env: host.env, close: () => host.close() };
  }
  if (name === "cloudflare") {
    const { platform, close } = await openCloudflare();
    return { env: {}, platform, close };
  }
  if (name === "docker") {
    const platform = { dial: async () => dial, loopbacks: true };
    if (process.env.HANDRAIL_DOCKER_HOST) return { env: process.env, platform, close: async () => undefined };
    const guests = await DockerGuests.start();
    return { env: guests.env, platform, close: () => guests.close() };
  }
  return { env: process.env, close: async () => undefined };
}

/**
 * The engine as one edge uses it. Each call is another edge. Edges with the same secret share their guests.
 */
export async function openEngine(
  name: GuestEngine,
  { env, platform }: Omit<EngineSite, "close">,
  { secret = "a secret of tests", ...changes }: Partial<EngineContext> & { secret?: string } = {},
): Promise<Engine> {
  return loadEngine(name, {
    env,
    fetch: (input, init) => fetch(input, { ...init, redirect: "manual" }),
    now: () => Date.now(),
    elapsed: () => performance.now(),
    log: () => undefined,
    tokenOf: (guest) => guestToken(secret, sandboxIdOf({ engine: name, guest })),
    owner: await ownerOf(secret),
    platform: {
      serverFile: async () => new Uint8Array(await readFile(await builtServer())),
      ...platform,
    },
    ...changes,
  });
}

export function clientOf({ url, headers, fetch }: Endpoint): SandboxClient {
  return new SandboxClient(url, "", { headers, ...(fetch ? { fetch } : {}) });
}

let specs = 0;

/** A spec with a new name. */
export function newSpec() {
  specs += 1;
  const name = `${Date.now().toString(36)}${process.pid.toString(36)}n${specs}`.padEnd(20, "0").slice(0, 20);
  return { name, network: "none" as const, workspace: "sample project" };
}
