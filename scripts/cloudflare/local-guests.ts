// The configuration of the guests' script for Miniflare: a Durable Object for each guest, with a container of this
// machine's Docker engine. Used by `npm run dev:cloudflare` and by tests.
import { join } from "node:path";

/** The class of its Durable Objects, which are bound as GUESTS. */
const className = "SandboxGuest";
const name = "handrail-guests";
/** The prefix of all container names, including those of the sidecars. */
export const containerPrefix = `workerd-${name}-`;

export interface LocalDocker {
  /** For example unix:///var/run/docker.sock; workerd accepts only a socket. */
  address: string;
  /** The image of guests. Choosing one at each start needs a scheduling policy that does not exist locally. */
  image: string;
  /** The image of the sidecar through which workerd reaches a container's ports. */
  sidecar: string;
}

/** `folder`: where the built scripts are. `entry`: another module that exports the class, used instead. */
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
    // In this version of workerd, `exec` needs this flag.
    compatibilityFlags: ["experimental"],
    durableObjects: { GUESTS: { className, useSQLite: true, container: { imageName: image } } },
    containerEngine: { localDocker: { socketPath: address, containerEgressInterceptorImage: sidecar } },
    r2Buckets: ["GUEST_ARCHIVES"],
  };
}
