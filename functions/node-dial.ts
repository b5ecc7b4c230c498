// Connections that Node can open and `fetch` cannot: Unix sockets, TLS with a client's key, a program's pipes (ssh).
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Duplex, Readable } from "node:stream";
import type { Dial } from "./engines/engine.ts";
import { intoContainer, type Sending } from "./node-tunnel.ts";

/** How long ssh may take to log in. */
const sshSeconds = 15;

/**
 * `address` is in the form of DOCKER_HOST. Request bodies are strings or bytes. Throws an error of one line for
 * addresses in another form.
 */
export const dial: Dial = (address, container) => {
  const way = optionsFor(address);
  const options =
    container === undefined ? way : { request: httpRequest, options: { agent: into(way, container) } };
  return (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    return send(options, `${url.pathname}${url.search}`, init);
  };
};

/** Creates a file that only this user can read and that exists as long as this process. */
export function fileOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "handrail-engine-"));
  const file = join(folder, "profile.json");
  writeFileSync(file, text);
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return file;
}

/** An agent whose connections end in the sandbox server of that container. */
function into(way: Sending, container: string): Agent {
  const agent = keptAlive();
  agent.createConnection = () => likeSocket(intoContainer(way, container));
  return agent;
}

function optionsFor(address: string): Sending {
  const [, scheme, rest = ""] = /^([a-z]+):\/\/(.+)$/.exec(address) ?? [];
  if (scheme === "unix") return { request: httpRequest, options: { socketPath: rest, agent: keptAlive() } };
  if (scheme === "ssh") return { request: httpRequest, options: { host: "docker", agent: overSsh(address) } };
  if (scheme !== "tcp" && scheme !== "http" && scheme !== "https")
    throw new Error(
      `${address} is not an address of an engine; write unix:///PATH, tcp://HOST:PORT or ssh://USER@HOST`,
    );
  const { hostname, port } = new URL(`http://${rest}`);
  const keys = scheme === "http" ? {} : clientKeys();
  const secure = scheme === "https" || "ca" in keys;
  return {
    request: secure ? httpsRequest : httpRequest,
    options: { host: hostname, port: Number(port) || (secure ? 2376 : 2375), ...keys },
  };
}

/** As in docker's own client: the files in DOCKER_CERT_PATH, if DOCKER_TLS_VERIFY is set. */
function clientKeys(): { ca?: Buffer; cert?: Buffer; key?: Buffer } {
  const { DOCKER_TLS_VERIFY: verify, DOCKER_CERT_PATH: folder } = process.env;
  if (!verify || !folder) return {};
  const file = (name: string) => readFileSync(join(folder, `${name}.pem`));
  return { ca: file("ca"), cert: file("cert"), key: file("key") };
}

function keptAlive(): Agent {
  return new Agent({ keepAlive: true });
}

/** Each connection is a process `ssh … docker system dial-stdio`, as in docker's own client. */
function overSsh(address: string): Agent {
  const { username, hostname, port } = new URL(address);
  const where = [...(username ? ["-l", username] : []), ...(port ? ["-p", port] : []), "--", hostname];
  const args = ["-T", "-o", `ConnectTimeout=${sshSeconds}`, "-o", "BatchMode=yes", ...where];
  const agent = keptAlive();
  agent.createConnection = () => {
    const child = spawn("ssh", [...args, "docker", "system", "dial-stdio"], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    const pipes = Duplex.from({ writable: child.stdin, readable: child.stdout });
    child.on("error", (error) => pipes.destroy(error));
    pipes.on("close", () => child.kill());
    return likeSocket(pipes);
  };
  return agent;
}

/** Adds the methods of a socket that http needs and other streams lack. */
function likeSocket(stream: Duplex): Duplex {
  // A finished request no longer listens for errors; a later one must not end the process.
  stream.on("error", () => undefined);
  const idle = () => stream;
  return Object.assign(stream, {
    setKeepAlive: idle,
    setNoDelay: idle,
    setTimeout: idle,
    ref: idle,
    unref: idle,
  });
}

function send({ request, options }: Sending, path: string, init: RequestInit): Promise<Response> {
  const { method = "GET", signal, body } = init;
  const headers = Object.fromEntries(new Headers(init.headers));
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...options, method, path, headers, ...(signal ? { signal } : {}) });
    // The same error as fetch, so that callers need to know only one.
    outgoing.on("error", (cause) =>
      reject(signal?.aborted ? signal.reason : new TypeError("fetch failed", { cause })),
    );
    outgoing.on("response", (incoming) => resolve(responseOf(incoming)));
    outgoing.end(typeof body === "string" || body instanceof Uint8Array ? body : undefined);
  });
}

function responseOf(incoming: IncomingMessage): Response {
  const { statusCode: status = 502, headers } = incoming;
  const listed = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(", ")] as [string, string]],
  );
  const bare = status === 204 || status === 304;
  if (bare) incoming.resume();
  // Node's own streams and the web's streams are the same objects with different types.
  return new Response(bare ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>), {
    status,
    headers: listed,
  });
}
