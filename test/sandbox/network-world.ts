// Origins on the loopback and a proxy in front of them, shared by the tests of the proxy.
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { ProxyLimits } from "../../sandbox/network/proxy-limits.ts";
import { listening, publicAddress, rawOrigin, TestProxy, testReach } from "./network-origin.ts";

const names = {
  "allowed.test": [[publicAddress]],
  "sub.allowed.test": [[publicAddress]],
  "deep.sub.wild.test": [[publicAddress]],
  "named.test": [[publicAddress]],
  "rebinds.test": [[publicAddress], ["127.0.0.1"]],
  "mixed.test": [[publicAddress, "10.0.0.7"]],
  "mapped.test": [["::ffff:169.254.169.254"]],
  "metadata.test": [["169.254.169.254"]],
  "azure.test": [["168.63.129.16"]],
  "ula.test": [["fd00:ec2::254"]],
  "gone.test": [],
};

export const rules: readonly string[] = [
  ...[
    "allowed.test",
    "*.wild.test",
    "rebinds.test",
    "mixed.test",
    "mapped.test",
    "metadata.test",
    "azure.test",
  ],
  ...["ula.test", "gone.test", "named.test:8443"],
];

interface SeenRequest {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

export class World {
  /** Requests that reached the web origin. */
  readonly seen: SeenRequest[] = [];
  readonly #web: Server;

  private constructor(
    /** The listener at 443, 8443, 22 and 25. It records what it receives. */
    readonly raw: Awaited<ReturnType<typeof rawOrigin>>,
  ) {
    this.#web = createServer((request, response) => {
      const { method = "", url = "", headers } = request;
      let body = "";
      request.on("data", (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on("end", () => {
        this.seen.push({ method, url, headers, body });
        if (url === "/away") response.writeHead(302, { location: "http://127.0.0.1/secret" }).end();
        else response.setHeader("x-origin", "yes").end("origin");
      });
    });
  }

  static async start(): Promise<World> {
    const world = new World(await rawOrigin("from the origin"));
    world.#port = await listening(world.#web);
    return world;
  }
  #port = 0;

  /** `allowed`: rules, or every public host. */
  proxy(allowed: readonly string[] | "all" = rules, most?: Partial<ProxyLimits>): Promise<TestProxy> {
    const { port: raw } = this.raw;
    const ports = { 80: this.#port, 443: raw, 8443: raw, 22: raw, 25: raw, 8080: this.#port };
    return TestProxy.start(testReach(names, ports), allowed === "all" ? undefined : allowed, most);
  }

  forget(): void {
    this.seen.length = 0;
    this.raw.heard.length = 0;
  }

  stop(): void {
    this.#web.close();
    this.raw.close();
  }
}

/** The status of an answer; NaN if there is none. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}
