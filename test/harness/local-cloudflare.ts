// The guests' script in workerd with containers of a real Docker engine, as `npm run dev:cloudflare` runs it.
// Only workerd's sidecar is replaced, because its image is not available without a registry.
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe } from "vitest";
import { build, dist } from "../../scripts/build.ts";
import { localGuests } from "../../scripts/cloudflare/local-guests.ts";
import { withoutDocker } from "../../scripts/test/find-tools.ts";
import { Miniflare } from "../../scripts/tools/workerd/miniflare.ts";
import { canRunDocker, type DockerEngine } from "./docker.ts";
import { DockerGuests } from "./docker-guests.ts";
import { type EngineSite, engineTargets } from "./engine-stage.ts";
import { entranceAt, entranceModules, type GuestsEntrance } from "./guests-entrance.ts";

const sidecar = fileURLToPath(new URL("../fakes/engines/container-sidecar.mjs", import.meta.url));

/**
 * The class of guests, whose objects can be told apart and ended. workerd itself does not end one while it waits for the end of
 * its container.
 */
const endedObjects = `
import { SandboxGuest as Guest } from "./guests.mjs";
export class SandboxGuest extends Guest {
  #name = "";
  fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/end") this.ctx.abort("evicted");
    if (pathname !== "/name") return super.fetch(request);
    this.#name ||= crypto.randomUUID();
    return new Response(this.#name);
  }
}`;

export interface LocalCloudflare extends Omit<GuestsEntrance, "send"> {
  docker: DockerEngine;
  url: string;
  /** Ends the object of a guest, as the platform does with one that is not used, and returns once there is another. */
  evict(guest: string): Promise<void>;
  /** Ends workerd and starts it again with the storage of its objects and R2. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function openLocalCloudflare(variables: Record<string, string> = {}): Promise<LocalCloudflare> {
  await build(["guests", "sandbox"]);
  const { docker } = await DockerGuests.start();
  buildSidecar(docker);
  const { address, folder } = docker;
  const images = { address, image: "handrail-sandbox", sidecar: sidecarImage };
  const options = () => ({
    ...{
      ...localGuests(images, dist, entranceModules(endedObjects)),
      bindings: variables,
      cf: false as const,
    },
    ...{ durableObjectsPersist: join(folder, "objects"), r2Persist: join(folder, "archives") },
  });
  let worker = new Miniflare(options());
  let url = await worker.ready;
  const { platform, archives, send } = entranceAt(() => url);
  return {
    ...{ docker, url: url.origin, platform, archives },
    async evict(guest) {
      const name = async () => (await send(guest, "/name")).text();
      const before = await name();
      await send(guest, "/end").then((answer) => answer.text());
      if ((await name()) === before) throw new Error("the object goes on");
    },
    async restart() {
      await worker.dispose();
      worker = new Miniflare(options());
      url = await worker.ready;
    },
    async close() {
      await worker.dispose();
      await docker.close();
    },
  };
}

/**
 * Declares tests for the engine `cloudflare` with real containers. They are visibly skipped if Docker cannot
 * run.
 */
export function describeLocalCloudflare(body: (open: () => Promise<EngineSite>) => void): void {
  if (!engineTargets().includes("cloudflare")) return;
  const open = async () => ({ env: {}, ...(await openLocalCloudflare()) });
  describe.skipIf(!canRunDocker)(canRunDocker ? "cloudflare in Docker" : withoutDocker, () => body(open));
}

export const sidecarImage = "handrail-sidecar";

export function buildSidecar(docker: DockerEngine): void {
  const context = join(docker.folder, "sidecar");
  mkdirSync(context);
  copyFileSync(sidecar, join(context, "sidecar.mjs"));
  const lines = ["FROM handrail-base", "COPY sidecar.mjs /", 'ENTRYPOINT ["node", "/sidecar.mjs"]', ""];
  writeFileSync(join(context, "Containerfile"), lines.join("\n"));
  docker.build(context, join(context, "Containerfile"), sidecarImage);
}
