// The product's proxy, with origins on the loopback. Names resolve to public addresses, as the product's own
// rules demand; only the final connection is redirected to an origin here.
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isForbidden } from "../../sandbox/network/forbidden-address.ts";
import { type HostRule, hostRule } from "../../sandbox/network/host-rules.ts";
import { NetworkProxy } from "../../sandbox/network/proxy.ts";
import { type ProxyLimits, proxyLimits } from "../../sandbox/network/proxy-limits.ts";
import type { Reach } from "../../sandbox/network/reach.ts";

/** A public address that no test really connects to: the connections end at the origin. */
export const publicAddress = "93.184.216.34";

export interface TestReach extends Reach {
  /** Addresses that were connected to, `address:port`. */
  readonly dialled: string[];
  /** Names that were looked up. */
  readonly asked: string[];
}

/**
 * `names`: the answers for a name in order; the last one is repeated. `ports`: the listening port for each
 * requested port.
 */
export function testReach(
  names: Record<string, readonly (readonly string[])[]>,
  ports: Record<number, number>,
): TestReach {
  const dialled: string[] = [];
  const asked: string[] = [];
  const times = new Map<string, number>();
  return {
    dialled,
    asked,
    forbidden: isForbidden,
    async addresses(name) {
      asked.push(name);
      const answers = names[name] ?? [];
      const at = times.get(name) ?? 0;
      times.set(name, at + 1);
      return [...(answers[Math.min(at, answers.length - 1)] ?? [])];
    },
    connect(address, port) {
      dialled.push(`${address}:${port}`);
      const origin = ports[port];
      if (origin === undefined) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        const socket = connect({ host: "127.0.0.1", port: origin, allowHalfOpen: true });
        socket.once("connect", () => resolve(socket));
        socket.on("error", () => resolve(undefined));
      });
    },
  };
}

export class TestProxy {
  readonly #folder = mkdtempSync(join(tmpdir(), "handrail-test-proxy-"));
  readonly proxy: NetworkProxy;

  private constructor(
    readonly reach: TestReach,
    rules: readonly string[] | undefined,
    most: Partial<ProxyLimits>,
  ) {
    this.proxy = new NetworkProxy({ rules: rules?.map(ruleOf) }, reach, { ...proxyLimits, ...most });
  }

  /** `rules`: undefined = every public host. */
  static async start(
    reach: TestReach,
    rules: readonly string[] | undefined,
    most: Partial<ProxyLimits> = {},
  ): Promise<TestProxy> {
    const started = new TestProxy(reach, rules, most);
    await started.proxy.listen(started.#path);
    return started;
  }

  get #path(): string {
    return join(this.#folder, "proxy");
  }

  socket(): Socket {
    const socket = connect({ path: this.#path, allowHalfOpen: true });
    socket.on("error", () => undefined);
    return socket;
  }

  /** Everything that the proxy answers to `bytes` until it closes the connection. */
  async say(bytes: string | Buffer): Promise<string> {
    const socket = this.socket();
    socket.write(bytes, "latin1");
    return (await everything(socket)).toString("latin1");
  }

  /** The socket after a CONNECT has been answered, and that answer. */
  async tunnel(authority: string): Promise<{ socket: Socket; answer: string }> {
    const socket = this.socket();
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
    const answer = await new Promise<string>((resolve) => {
      let text = "";
      const more = (chunk: Buffer) => {
        text += chunk.toString("latin1");
        if (text.includes("\r\n\r\n")) settle();
      };
      const settle = () => {
        socket.off("data", more);
        socket.off("close", settle);
        socket.pause();
        resolve(text);
      };
      socket.on("data", more);
      socket.once("close", settle);
    });
    return { socket, answer };
  }

  get refused(): string[] {
    return this.proxy.refused.map(({ host, reason }) => `${host} ${reason}`);
  }

  async stop(): Promise<void> {
    await this.proxy.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function ruleOf(text: string): HostRule {
  const rule = hostRule(text);
  if (typeof rule === "string") throw new Error(rule);
  return rule;
}

/** Everything that a socket receives until it closes for any reason. */
export function everything(socket: Socket): Promise<Buffer> {
  const parts: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => parts.push(chunk));
  socket.resume();
  return new Promise((resolve) => {
    const settle = () => {
      socket.destroy();
      resolve(Buffer.concat(parts));
    };
    socket.once("end", settle);
    socket.once("close", settle);
  });
}

/** Listens on a free port of the loopback. */
export function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (address !== null && typeof address === "object") resolve(address.port);
    });
  });
}

/** An origin that records what it receives and answers each first piece with `answer`. */
export async function rawOrigin(answer: string): Promise<{ port: number; heard: Buffer[]; close(): void }> {
  const heard: Buffer[] = [];
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => {
      heard.push(chunk);
      socket.end(answer);
    });
  });
  const port = await listening(server);
  const close = () => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  return { port, heard, close };
}
