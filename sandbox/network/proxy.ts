// The proxy of one command: accepts CONNECT, and http:// in absolute form, for the hosts that its policy
// allows. Runs in the server's process and listens where only that command's jail can reach it. Reads no more
// of the traffic than it must.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { RefusedHost } from "../../shared/network.ts";
import { forward } from "./forward-request.ts";
import { authorityOf, type HostAndPort } from "./host-name.ts";
import { type ProxyLimits, proxyLimits } from "./proxy-limits.ts";
import { judge, type ProxyPolicy, Refusals } from "./proxy-policy.ts";
import { type Dialled, dial, type Reach } from "./reach.ts";
import { refusalText, sayRefused } from "./refusal-words.ts";
import { singleLookups } from "./single-lookups.ts";
import { Traffic } from "./traffic.ts";
import { openTunnel } from "./tunnel.ts";

export class NetworkProxy {
  readonly #refusals = new Refusals();
  readonly #traffic: Traffic;
  readonly #server: Server;
  /** Connections that were opened as a tunnel but carry plain requests. Their target is known. */
  readonly #targets = new WeakMap<Duplex, HostAndPort>();
  readonly #ending = new AbortController();
  readonly #reach: Reach;

  constructor(
    private readonly policy: ProxyPolicy,
    reach: Reach,
    private readonly most: ProxyLimits = proxyLimits,
  ) {
    this.#reach = singleLookups(reach, this.#ending.signal);
    this.#traffic = new Traffic(most);
    this.#server = createServer({
      maxHeaderSize: most.headerBytes,
      headersTimeout: most.headersMs,
      connectionsCheckingInterval: most.headersMs / 4,
      // An upload may take any time. A silent one is ended by the time limit of its socket.
      requestTimeout: 0,
      // A lenient parser could read a request differently than the next server does.
      insecureHTTPParser: false,
      requireHostHeader: false,
    });
    this.#server.maxConnections = most.connections;
    this.#server.on("connection", (socket) => {
      // Traffic inside a tunnel is not watched again, because its connection is watched already.
      if (socket instanceof Socket) this.#traffic.watch(socket);
    });
    this.#server.on("clientError", (_error, socket) => {
      sayRefused(socket, 400, refusalText.badRequest);
    });
    this.#server.on("request", (request, response) => this.#request(request, response));
    this.#server.on("connect", (request, socket, head) => {
      // A tunnel leads to one host: nothing inside it may ask for another.
      if (!(socket instanceof Socket)) sayRefused(socket, 400, refusalText.badRequest);
      else this.#connect(request, socket, head).catch(() => socket.destroy());
    });
  }

  /** The hosts refused so far, each once. */
  get refused(): RefusedHost[] {
    return this.#refusals.list;
  }

  /** Bytes sent and received so far. */
  get bytes(): number {
    return this.#traffic.bytes;
  }

  /** Listens on a Unix socket at `path`. */
  listen(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(path, () => resolve());
    });
  }

  /** Ends all open connections. */
  async close(): Promise<void> {
    this.#ending.abort();
    this.#traffic.end();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #request(request: IncomingMessage, response: ServerResponse): void {
    const tunnelled = this.#targets.get(request.socket);
    const target = tunnelled ? innerTarget(request, tunnelled) : webTarget(request);
    if (target === undefined) {
      response.writeHead(400, { connection: "close" }).end(refusalText.badRequest);
      return;
    }
    const refuse = (reason: RefusedHost["reason"]) => {
      this.#refusals.add(target, reason);
      response.writeHead(403, { connection: "close", "content-type": "text/plain" });
      response.end(refusalText[reason](target.host.name));
    };
    const verdict = judge(this.policy, this.#reach, target);
    if ("problem" in verdict) refuse(verdict.problem);
    else forward({ request, response, target, refuse, open: () => this.#dial(target) });
  }

  /** The connection counts as traffic and ends with the proxy. */
  async #dial({ host, port }: HostAndPort): Promise<Dialled> {
    const dialled = await dial(this.#reach, host, port, this.#ending.signal);
    if ("socket" in dialled) this.#traffic.watch(dialled.socket);
    return dialled;
  }

  async #connect(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    socket.on("error", () => socket.destroy());
    const target = tunnelTarget(request);
    if (!target) return sayRefused(socket, 400, refusalText.badRequest);
    const { name } = target.host;
    const verdict = judge(this.policy, this.#reach, target);
    const dialled = "problem" in verdict ? verdict : await this.#dial(target);
    if ("problem" in verdict || "problem" in dialled) {
      const problem =
        "problem" in verdict ? verdict.problem : "problem" in dialled ? dialled.problem : "unreachable";
      if (problem !== "unreachable") this.#refusals.add(target, problem);
      return sayRefused(socket, problem === "unreachable" ? 502 : 403, refusalText[problem](name));
    }
    socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    if (head.length > 0) socket.unshift(head);
    const end = await openTunnel(socket, dialled.socket, {
      ...target,
      look: verdict.look,
      firstMs: this.most.headersMs,
    });
    if (end === "another_name") this.#refusals.add(target, end);
    if (end !== "http") return;
    // Some clients ask for a tunnel for http:// too. Requests inside it are judged like any other. The
    // connection is passed as a plain stream: from a socket, the server would read only new bytes and miss
    // those that were already read.
    const inner = Duplex.from({ readable: socket, writable: socket });
    inner.on("error", () => socket.destroy());
    this.#targets.set(inner, target);
    this.#server.emit("connection", inner);
  }
}

/** Accepts only `http://host[:port]/…`: no other scheme and no user name. */
function webTarget({ url = "", httpVersionMajor }: IncomingMessage): HostAndPort | undefined {
  // The parser takes a line without a version for HTTP/0.9, which no client speaks.
  if (httpVersionMajor !== 1) return undefined;
  const [, text] = /^http:\/\/([^/?#]*)(?:[/?]|$)/i.exec(url) ?? [];
  const parsed = text === undefined ? undefined : authorityOf(text);
  return parsed && { host: parsed.host, port: parsed.port ?? 80 };
}

/** A request inside a tunnel names no host but the tunnel's; `forward` compares its Host header. */
function innerTarget({ url = "" }: IncomingMessage, target: HostAndPort): HostAndPort | undefined {
  return url.startsWith("/") ? target : undefined;
}

/** A CONNECT may lack a Host header, or repeat the host in it. */
function tunnelTarget({
  url = "",
  httpVersionMajor,
  headersDistinct: { host: named = [] },
}: IncomingMessage): HostAndPort | undefined {
  if (httpVersionMajor !== 1) return undefined;
  const { host, port } = authorityOf(url) ?? {};
  if (host === undefined || port === undefined) return undefined;
  const [text = ""] = named;
  return text === "" || authorityOf(text)?.host.name === host.name ? { host, port } : undefined;
}
