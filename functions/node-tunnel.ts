// Connections into a container of a remote engine, through the engine's own API: a process started in the container
// passes bytes on to the sandbox server. No port is published, and the connection is as private as the one to the
// engine.
import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { Duplex, PassThrough, Transform } from "node:stream";

export interface Sending {
  request(options: RequestOptions): ClientRequest;
  options: RequestOptions;
}

/** Ends with either side. Every image of guests contains this node. */
const passOn = [
  "/opt/handrail/node",
  "-e",
  "const s=require('net').connect(8788,'127.0.0.1');process.stdin.pipe(s);s.pipe(process.stdout);s.on('close',()=>process.exit()).on('error',()=>process.exit(1))",
];

/**
 * The stream can be written to immediately, because data waits until the connection is open. A failure destroys it with
 * an error.
 */
export function intoContainer(sending: Sending, container: string): Duplex {
  const [up, down] = [new PassThrough(), new PassThrough()];
  const both = Duplex.from({ writable: up, readable: down });
  attach(sending, container).then(
    (socket) => {
      socket.on("error", (error) => both.destroy(error)).on("close", () => both.destroy());
      both.on("close", () => socket.destroy());
      up.pipe(socket);
      socket.pipe(withoutHeaders()).pipe(down);
    },
    (error: Error) => both.destroy(error),
  );
  return both;
}

async function attach(sending: Sending, container: string): Promise<Duplex> {
  const Cmd = passOn;
  const made = await answer(sending, `/containers/${container}/exec`, {
    ...{ AttachStdin: true, AttachStdout: true, Tty: false, Cmd },
  });
  const { Id } = JSON.parse(made) as { Id: string };
  const start = post(sending, `/exec/${Id}/start`, { Detach: false, Tty: false }, true);
  return new Promise((resolve, reject) => {
    start.on("error", reject);
    start.on("response", ({ statusCode }) => reject(new Error(`the engine answered ${statusCode}`)));
    start.on("upgrade", (_: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
  });
}

async function answer(sending: Sending, path: string, body: object): Promise<string> {
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    post(sending, path, body, false).on("error", reject).on("response", resolve);
  });
  let text = "";
  for await (const chunk of incoming.setEncoding("utf8")) text += chunk;
  if (incoming.statusCode === 201) return text;
  throw new Error(`the engine answered ${incoming.statusCode}`);
}

function post({ request, options }: Sending, path: string, body: object, upgrades: boolean): ClientRequest {
  const text = JSON.stringify(body);
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...(upgrades ? { connection: "Upgrade", upgrade: "tcp" } : {}),
  };
  const outgoing = request({ ...options, method: "POST", path, headers });
  outgoing.end(text);
  return outgoing;
}

/**
 * Removes the header of each piece: its stream, three zero bytes, and its length.
 * https://docs.docker.com/reference/api/engine/version/v1.41/#tag/Container/operation/ContainerAttach
 */
function withoutHeaders(): Transform {
  const headerBytes = 8;
  let rest = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _, done) {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= headerBytes) {
        const end = headerBytes + rest.readUInt32BE(4);
        if (rest.length < end) break;
        this.push(rest.subarray(headerBytes, end));
        rest = rest.subarray(end);
      }
      done();
    },
  });
}
