// One CONNECT tunnel, after its answer. The client's first bytes tell which host it talks to; then data flows
// in both directions.
import type { Socket } from "node:net";
import { readHello } from "./client-hello.ts";
import { type HostAndPort, hostOf } from "./host-name.ts";
import type { Look } from "./proxy-policy.ts";

export interface Passage extends HostAndPort {
  look: Look;
  /** How long the client may take to send its first bytes. */
  firstMs: number;
}

/**
 * `open`: data flows. `http`: the client sent plain HTTP, which is still unread; `upstream` is closed.
 * Otherwise the tunnel is closed.
 */
export type TunnelEnd = "open" | "http" | "another_name" | "closed";

/** A fatal TLS alert, access_denied (RFC 8446 6.2), which the client's program names in its own error. */
const accessDenied = Buffer.from([21, 3, 3, 0, 2, 2, 49]);
/**
 * The beginning of an HTTP request. A tunnel to port 80 carries the requests of clients that use tunnels for
 * everything.
 */
const httpMethod = /^[A-Z]{1,20}( |$)/;

/** Never rejects. */
export async function openTunnel(client: Socket, upstream: Socket, passage: Passage): Promise<TunnelEnd> {
  if (passage.look === "none") return flow(client, upstream);
  // Some servers speak first.
  upstream.pipe(client, { end: false });
  const first = await firstBytes(client, passage.firstMs);
  const verdict = first === undefined ? "closed" : verdictOf(first, passage);
  if (verdict === "pass") {
    upstream.unpipe(client);
    client.unshift(first);
    return flow(client, upstream);
  }
  upstream.unpipe(client);
  upstream.destroy();
  if (verdict === "http") {
    client.unshift(first);
    return "http";
  }
  if (verdict === "closed") client.destroy();
  else client.end(accessDenied, () => client.destroy());
  return verdict;
}

function verdictOf(first: Buffer, { host, port, look }: Passage): "pass" | "http" | "another_name" {
  const hello = readHello(first);
  if (hello.state === "hello") {
    if (hello.hidden) return "another_name";
    if (hello.name === undefined) return look === "if-tls" || host.literal ? "pass" : "another_name";
    return hostOf(hello.name)?.name === host.name ? "pass" : "another_name";
  }
  if (look === "if-tls") return first[0] === 22 ? "another_name" : "pass";
  return port === 80 && httpMethod.test(first.toString("latin1", 0, 21)) ? "http" : "another_name";
}

/**
 * All bytes up to the point where it is clear what they are; undefined if the client left or was silent
 * before that.
 */
function firstBytes(client: Socket, firstMs: number): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const late = setTimeout(() => settle(undefined), firstMs);
    const settle = (bytes: Buffer | undefined) => {
      clearTimeout(late);
      client.pause();
      client.off("data", more);
      client.off("close", gone);
      client.off("end", gone);
      resolve(bytes);
    };
    const gone = () => settle(undefined);
    const more = (chunk: Buffer) => {
      parts.push(chunk);
      const bytes = Buffer.concat(parts);
      if (readHello(bytes).state !== "part") settle(bytes);
    };
    client.on("data", more);
    client.once("close", gone);
    client.once("end", gone);
    client.resume();
  });
}

function flow(client: Socket, upstream: Socket): "open" {
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    // A pipe passes on an end, after the data in transit, but not a reset. Each side is ended when it is
    // silent.
    from.pipe(to);
    from.on("error", () => to.destroy());
  }
  return "open";
}
