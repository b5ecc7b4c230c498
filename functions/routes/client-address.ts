// Which address a request came from, on a server of one's own. Hosted Workers are told by the platform.
import { isLoopbackHost } from "../../shared/loopback-host.ts";

/**
 * `peer`: the other end of the connection. A tunnel or proxy on this machine connects from loopback and names the
 * client last in X-Forwarded-For; from anywhere else that header proves nothing.
 */
export function clientAddress(request: Request, peer: string | undefined): string {
  const forwarded = request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim();
  return (peer !== undefined && isLoopbackHost(peer) && forwarded) || peer || "unknown";
}
