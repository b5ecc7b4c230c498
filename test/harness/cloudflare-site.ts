// Runs the second script for Cloudflare in a real workerd with fake containers: see test/fakes/engines.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, dist } from "../../scripts/build.ts";
import { Miniflare } from "../../scripts/tools/workerd/miniflare.ts";
import { ContainerHost, type ContainerQuirks } from "../fakes/engines/container-host.ts";
import { builtServer } from "../sandbox/running-server.ts";
import { entranceAt, entranceModules, type GuestsEntrance } from "./guests-entrance.ts";

const played = fileURLToPath(new URL("../fakes/engines/played-container.mjs", import.meta.url));

export interface CloudflareSite extends Omit<GuestsEntrance, "send"> {
  host: ContainerHost;
  /** The entrance for edges in other processes. The header `x-played-guest` names the object. */
  url: string;
  /** Orders of tests to a guest's object: run its alarm, or end it and start a new one. */
  order(guest: string, what: "alarm" | "restart"): Promise<void>;
  /** Whether the guest's object has an alarm set. */
  isWatched(guest: string): Promise<boolean>;
  /** Deploys again with other settings. */
  set(variables: Record<string, string>): Promise<void>;
  close(): Promise<void>;
}

export async function openCloudflare(
  quirks: Partial<ContainerQuirks> = {},
  { archives = true, ...variables }: { archives?: boolean } & Record<string, string | boolean> = {},
): Promise<CloudflareSite> {
  await build(["guests"]);
  const host = await ContainerHost.start(quirks);
  const options = async (more: Record<string, string | boolean>) => ({
    modules: [
      ...entranceModules(await readFile(played, "utf8")),
      { type: "ESModule" as const, path: join(dist, "guests.mjs") },
      { type: "Text" as const, path: await builtServer() },
    ],
    modulesRoot: dist,
    compatibilityDate: "2026-04-01",
    durableObjects: { GUESTS: { className: "SandboxGuest", useSQLite: true } },
    ...(archives ? { r2Buckets: ["GUEST_ARCHIVES"] } : {}),
    bindings: { CONTAINER_HOST: host.url, GUEST_IMAGE: "image-1", ...more },
    cf: false as const,
  });
  const worker = new Miniflare(await options(variables));
  let url = await worker.ready;
  const { send, platform, archives: listArchives } = entranceAt(() => url);
  return {
    host,
    url: url.origin,
    ...{ platform, archives: listArchives },
    async order(guest, what) {
      await send(guest, `/played/${what}`).then((answer) => answer.text());
    },
    isWatched: async (guest) => (await (await send(guest, "/played/due")).json()) !== null,
    async set(more) {
      await worker.setOptions(await options({ ...variables, ...more }));
      url = await worker.ready;
    },
    async close() {
      await worker.dispose();
      await host.close();
    },
  };
}
