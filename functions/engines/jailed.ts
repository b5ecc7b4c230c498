// Checks whether commands in a guest have a jail. If they should, a guest without one is not used.
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import type { Endpoint } from "./engine.ts";

const Isolation = z.object({ isolation: z.string() });

/** The isolation of commands as our server in the guest reports it: `bubblewrap` or `none`. */
export async function isolationIn(
  edge: typeof globalThis.fetch,
  { url, headers, fetch = edge }: Endpoint,
): Promise<string> {
  const answer = await fetch(`${url}/v1/capabilities`, { headers });
  return z.parse(Isolation, await answer.json()).isolation;
}

/** Throws `invalid_request` if our server in the guest reports that no jail works there. */
export async function jailed(edge: typeof globalThis.fetch, endpoint: Endpoint): Promise<void> {
  if ((await isolationIn(edge, endpoint)) !== "none") return;
  throw new HandrailError(
    "invalid_request",
    "No jail works in this engine's guests: bubblewrap has to be there and needs unprivileged user namespaces on their machine. Allow them, or set HANDRAIL_GUEST_JAIL=0: commands then share the guest, and its network, with their server.",
  );
}
