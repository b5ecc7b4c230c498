// The address from which a request came, on a self-hosted server. On Workers, the platform provides it.
import { isLoopbackHost } from "../../shared/loopback-host.ts";

/**
 * `peer`: the other end of the connection. A tunnel or proxy on this machine connects from loopback and adds the client
 * as the last address in X-Forwarded-For; from any other peer, that header may be forged.
 */
export function clientAddress(request: Request, peer: string | undefined): string {
  const forwarded = request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim();
  return (peer !== undefined && isLoopbackHost(peer) && forwarded) || peer || "unknown";
}
