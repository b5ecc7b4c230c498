// The place of the resume suite's sandboxes: here a single sandbox server.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Product, type ProductOptions, startProduct } from "../../harness/product.ts";
import { type SandboxWire, startSandboxWire } from "../../harness/sandbox-wire.ts";
import { authorized } from "../../harness/sse.ts";
import { RunningServer, token } from "../../sandbox/running-server.ts";

export interface Place {
  /** The settings of an edge. */
  env: Record<string, string>;
  /** All requests of an edge to a sandbox pass through it. */
  wire: SandboxWire;
  start(options: ProductOptions): Promise<Product>;
  /** Sends a request directly to a sandbox's server, without the wire. `path` begins with /v1. */
  ask(sandboxId: string, path: string, init?: RequestInit): Promise<Response>;
  /** Makes an empty file in the state folder of that server. */
  touch(sandboxId: string, path: string): Promise<void>;
  close(): Promise<void>;
}

export async function openServer(): Promise<Place> {
  const server = await RunningServer.start();
  const wire = await startSandboxWire(server.url);
  return {
    env: { SANDBOX_URL: wire.url, SANDBOX_TOKEN: token },
    wire,
    start: startProduct,
    ask: (_, path, init) =>
      fetch(`${server.url}${path}`, {
        ...init,
        headers: { ...authorized(token), "content-type": "application/json" },
      }),
    touch: (_, path) => writeFile(join(server.state, path), ""),
    async close() {
      wire.close();
      await server.stop();
    },
  };
}
