// A network link between two processes. It cuts connections at byte positions, goes silent without closing,
// and can be slow.
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * The behaviour of one connection: after the given number of bytes of answers it ends, or sends nothing more;
 * every piece is delayed.
 */
export interface Weather {
  cutAfterBytes?: number;
  silentAfterBytes?: number;
  delayMs?: number;
}

export interface Wire {
  url: string;
  /** The number of connections that were cut or went silent. */
  torn(): number;
  /** A line for each open connection: its number, the bytes of answers until now, its weather. */
  open(): string[];
  close(): void;
}

/**
 * `target`: the server's current origin. The link outlasts the server's lives. `weather`: the behaviour of
 * the n-th connection, from 1.
 */
export async function startWire(
  target: () => string,
  weather: (connection: number) => Weather,
): Promise<Wire> {
  let connections = 0;
  let torn = 0;
  const open = new Set<Socket>();
  const told = new Map<Socket, () => string>();
  const server = createServer((client) => {
    connections += 1;
    const n = connections;
    const its = weather(n);
    const { cutAfterBytes = Infinity, silentAfterBytes = Infinity, delayMs = 0 } = its;
    const { hostname, port } = new URL(target());
    const upstream = connect(Number(port), hostname);
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    let passed = 0;
    told.set(client, () => `connection ${n}, ${passed} bytes, ${JSON.stringify(its)}`);
    const pass = (chunk: Buffer) => {
      const room = Math.min(cutAfterBytes, silentAfterBytes) - passed;
      passed += chunk.length;
      if (room <= 0) return;
      if (chunk.length < room) client.write(chunk);
      else {
        torn += 1;
        client.write(chunk.subarray(0, room), () => passed >= cutAfterBytes && end());
      }
    };
    upstream.on(
      "data",
      (chunk: Buffer) => void (delayMs > 0 ? setTimeout(pass, delayMs, chunk) : pass(chunk)),
    );
    client.pipe(upstream);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", end).on("close", () => {
        open.delete(socket);
        told.delete(socket);
        // On a slow link the last bytes are still on their way.
        setTimeout(end, delayMs);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    torn: () => torn,
    open: () => [...told.values()].map((tell) => tell()),
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
