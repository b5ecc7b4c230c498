// A proxy between a client and a server that cuts connections, as a lift, a tunnel or a train does.
import { type AddressInfo, connect, createServer } from "node:net";

export interface CuttingProxy {
  /** The origin to use instead of the server's. */
  url: string;
  /** Connections so far. */
  connections(): number;
  close(): void;
}

/**
 * `answerBytes(n)`: the number of bytes of answers after which the n-th connection (from 1) is cut in both
 * directions without notice; undefined = it is left alone.
 */
export async function startCuttingProxy(
  serverUrl: string,
  answerBytes: (connection: number) => number | undefined,
): Promise<CuttingProxy> {
  const { hostname, port } = new URL(serverUrl);
  let connections = 0;
  const server = createServer((client) => {
    connections += 1;
    const limit = answerBytes(connections) ?? Number.POSITIVE_INFINITY;
    const upstream = connect(Number(port), hostname);
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    let passed = 0;
    upstream.on("data", (chunk: Buffer) => {
      const piece = chunk.subarray(0, Math.max(0, limit - passed));
      passed += chunk.length;
      client.write(piece, () => passed >= limit && cut());
    });
    client.pipe(upstream);
    for (const socket of [client, upstream]) socket.on("error", cut).on("close", cut);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${own}`,
    connections: () => connections,
    close: () => void server.close(),
  };
}
