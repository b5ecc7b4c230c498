// Connects to an allowed host. It resolves the host's addresses, checks them, and connects to one of exactly
// those. A later answer for the same name is not used.
import { lookup } from "node:dns/promises";
import { connect, type Socket } from "node:net";
import * as limits from "../limits.ts";
import { isForbidden } from "./forbidden-address.ts";
import type { HostName } from "./host-name.ts";

/**
 * How names become addresses, and which addresses are never connected to. Tests pass their own; the product
 * has only `systemReach`.
 */
export interface Reach {
  addresses(name: string): Promise<string[]>;
  forbidden(address: string): boolean;
  /** undefined if the connection failed. */
  connect(address: string, port: number, signal: AbortSignal): Promise<Socket | undefined>;
}

export const systemReach: Reach = {
  addresses: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  forbidden: isForbidden,
  connect: connected,
};

export type Dialled = { socket: Socket } | { problem: "private_address" | "unreachable" };

/** Connects to `host`. Never rejects. A name with one private address among public ones is refused as a whole. */
export async function dial(
  reach: Reach,
  { name, literal }: HostName,
  port: number,
  signal: AbortSignal,
): Promise<Dialled> {
  const addresses = literal ? [name] : await reach.addresses(name).catch(() => []);
  if (addresses.some((address) => reach.forbidden(address))) return { problem: "private_address" };
  for (const address of addresses) {
    if (signal.aborted) break;
    const socket = await reach.connect(address, port, signal);
    if (socket) return { socket };
  }
  return { problem: "unreachable" };
}

function connected(host: string, port: number, signal: AbortSignal): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, allowHalfOpen: true });
    const settle = (result: Socket | undefined) => {
      clearTimeout(late);
      signal.removeEventListener("abort", fail);
      socket.off("error", fail);
      if (!result) socket.destroy();
      resolve(result);
    };
    const fail = () => settle(undefined);
    const late = setTimeout(fail, limits.netConnectMs);
    signal.addEventListener("abort", fail);
    socket.once("error", fail);
    socket.once("connect", () => settle(socket));
    // An error while no other listener is attached must not end the server.
    socket.on("error", () => undefined);
  });
}
