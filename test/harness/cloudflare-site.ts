// The second script on Cloudflare in a real workerd, with fake containers: see test/fakes/engines.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod/mini";
import type { EnginePlatform } from "../../functions/engines/engine.ts";
import { build, dist } from "../../scripts/build.ts";
import { Miniflare } from "../../scripts/tools/workerd/miniflare.ts";
import { ContainerHost, type ContainerQuirks } from "../fakes/engines/container-host.ts";
import { builtServer } from "../sandbox/running-server.ts";

const played = fileURLToPath(new URL("../fakes/engines/played-container.mjs", import.meta.url));

export interface CloudflareSite {
  host: ContainerHost;
  /** The entrance for edges elsewhere: the header `x-played-guest` names the object. */
  url: string;
  platform: EnginePlatform;
  /** What tests ask of a guest's object: its alarm, or its end and a new one. */
  order(guest: string, what: "alarm" | "restart"): Promise<void>;
  /** Whether an alarm of the guest's object is set. */
  isWatched(guest: string): Promise<boolean>;
  /** Keys of the archives in R2. */
  archives(): Promise<string[]>;
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
      { type: "ESModule" as const, path: join(dist, "played.mjs"), contents: await readFile(played, "utf8") },
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
  const send = (guest: string, path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set("x-played-guest", guest);
    return fetch(new URL(path, url), { ...init, headers, redirect: "manual" });
  };
  return {
    host,
    url: url.origin,
    platform: {
      containers: {
        getByName: (guest) => ({
          fetch: async (input, init) => {
            const { pathname, search } = new URL(String(input));
            return send(guest, `${pathname}${search}`, init);
          },
        }),
      },
    },
    async order(guest, what) {
      await send(guest, `/played/${what}`).then((answer) => answer.text());
    },
    isWatched: async (guest) => (await (await send(guest, "/played/due")).json()) !== null,
    async archives() {
      return z.parse(z.array(z.string()), await (await send("any", "/played/archives")).json());
    },
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
