// Forwards one plain http:// request. The parsed request is serialized again, so that the next server cannot
// read it differently than we did.
import { type IncomingMessage, type ServerResponse, request as send } from "node:http";
import { authorityOf, type HostAndPort, shownHost } from "./host-name.ts";
import type { Dialled } from "./reach.ts";
import { refusalText } from "./refusal-words.ts";

export interface Forwarding {
  request: IncomingMessage;
  response: ServerResponse;
  target: HostAndPort;
  open(): Promise<Dialled>;
  refuse(reason: "private_address" | "another_name"): void;
}

/** Headers that concern a connection and not the message (RFC 9110 7.6.1), and those meant for a proxy. */
const perConnection = new Set([
  ...["connection", "keep-alive", "proxy-connection", "proxy-authorization", "proxy-authenticate"],
  ...["te", "trailer", "transfer-encoding", "upgrade", "expect", "http2-settings", "host", "content-length"],
]);

/** Never rejects; the answer is written to `response`. */
export function forward(forwarding: Forwarding): void {
  const { request, response } = forwarding;
  pass(forwarding).catch(() => {
    response.writeHead(502, { connection: "close" }).end();
    request.resume();
  });
}

async function pass({ request, response, target, open, refuse }: Forwarding): Promise<void> {
  const { host, port } = target;
  const hosts = request.headersDistinct.host ?? [];
  const named = authorityOf(hosts[0] ?? "");
  // RFC 9112 3.2.2 gives the URL precedence. A request that names two hosts is refused instead.
  const same = named?.host.name === host.name && (named.port ?? 80) === port;
  if (hosts.length > 1 || (hosts.length === 1 && !same)) return refuse("another_name");
  const dialled = await open();
  if ("problem" in dialled) {
    if (dialled.problem === "private_address") return refuse(dialled.problem);
    response.writeHead(502, { connection: "close" }).end(refusalText.unreachable(host.name));
    return;
  }
  const { socket } = dialled;
  if (response.destroyed) {
    socket.destroy();
    return;
  }
  const bare = shownHost({ host, port: 80 });
  const onward = send({
    createConnection: () => socket,
    method: request.method ?? "GET",
    path: pathOf(request.url ?? "/"),
    headers: {
      ...kept(request.rawHeaders),
      ...bodyHeaders(request),
      host: port === 80 ? bare : `${bare}:${port}`,
      connection: "close",
    },
    setHost: false,
  });
  const cut = () => {
    onward.destroy();
    socket.destroy();
  };
  response.once("close", () => {
    if (!response.writableFinished) cut();
  });
  const fail = () => {
    cut();
    if (response.headersSent) response.destroy();
    else response.writeHead(502, { connection: "close" }).end(refusalText.unreachable(host.name));
  };
  onward.on("error", fail);
  // The client did not ask for another protocol. Without this handler the connection would be closed without
  // an answer.
  onward.on("upgrade", fail);
  onward.on("response", (answer) => {
    const { statusCode = 0 } = answer;
    // Node's parser accepts any three digits, but writeHead throws for a status below 100.
    if (statusCode < 200) return fail();
    response.writeHead(statusCode, kept(answer.rawHeaders, answer.headers["content-length"]));
    answer.on("error", () => response.destroy());
    answer.on("aborted", () => response.destroy());
    answer.pipe(response);
  });
  request.pipe(onward);
}

/** The path and query of the request. Its scheme and host were checked before. `/` if it has no path. */
function pathOf(url: string): string {
  const path = url.startsWith("/") ? url : url.replace(/^http:\/\/[^/?#]*/i, "");
  const bare = path.replace(/#.*$/, "");
  return bare.startsWith("/") ? bare : `/${bare}`;
}

/**
 * The length as it was parsed. Node's parser refuses requests with two lengths, or with a length and an
 * encoding.
 */
function bodyHeaders({ headers }: IncomingMessage): Record<string, string> {
  if (headers["transfer-encoding"] !== undefined) return { "transfer-encoding": "chunked" };
  const length = headers["content-length"];
  return length === undefined ? {} : { "content-length": length };
}

/** `raw` without headers that concern the connection, and without those that its Connection header names. */
function kept(raw: readonly string[], contentLength?: string): Record<string, string[]> {
  const pairs = raw.flatMap((name, at) =>
    at % 2 === 0 ? [[name.toLowerCase(), raw[at + 1] ?? ""] as const] : [],
  );
  const named = new Set(
    pairs.flatMap(([name, value]) =>
      name === "connection" ? value.split(",").map((one) => one.trim().toLowerCase()) : [],
    ),
  );
  const headers: Record<string, string[]> = Object.create(null);
  for (const [name, value] of pairs) {
    if (perConnection.has(name) || named.has(name)) continue;
    headers[name] = [...(headers[name] ?? []), value];
  }
  if (contentLength !== undefined) headers["content-length"] = [contentLength];
  return headers;
}
