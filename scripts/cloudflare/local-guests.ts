// The guests' script as Miniflare takes it: a Durable Object with a container of this machine's Docker engine for each
// guest. `npm run dev:cloudflare` and tests run it.
import { join } from "node:path";

/** Its Durable Objects are of this class, and bound as GUESTS. */
const className = "SandboxGuest";
const name = "handrail-guests";
/** What the names of all containers begin with, those of the sidecars too. */
export const containerPrefix = `workerd-${name}-`;

export interface LocalDocker {
  /** For example unix:///var/run/docker.sock; workerd takes nothing but a socket. */
  address: string;
  /** What guests are made of; the scheduling policy that lets us choose one at each start is not known locally. */
  image: string;
  /** The image of the sidecar through which workerd reaches a container's ports. */
  sidecar: string;
}

/** `folder`: where the built scripts are. `entry`: a module in their place that exports the class too. */
export function localGuests(
  { address, image, sidecar }: LocalDocker,
  folder: string,
  entry: readonly { type: "ESModule"; path: string; contents: string }[] = [],
) {
  return {
    name,
    modules: [
      ...entry,
      { type: "ESModule" as const, path: join(folder, "guests.mjs") },
      { type: "Text" as const, path: join(folder, "sandbox.mjs") },
    ],
    modulesRoot: folder,
    compatibilityDate: "2026-04-01",
    // Where `exec` is in this version of workerd.
    compatibilityFlags: ["experimental"],
    durableObjects: { GUESTS: { className, useSQLite: true, container: { imageName: image } } },
    containerEngine: { localDocker: { socketPath: address, containerEgressInterceptorImage: sidecar } },
    r2Buckets: ["GUEST_ARCHIVES"],
  };
}
