// Docker's API for an edge, with guests' published ports led through a wire. Everything else is passed on
// unchanged.
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import type { DockerEngine } from "./docker.ts";
import type { SandboxWire } from "./sandbox-wire.ts";

export interface DockerWire {
  /** The address in DOCKER_HOST's form. */
  address: string;
  close(): void;
}

export async function startDockerWire(docker: DockerEngine, wire: SandboxWire): Promise<DockerWire> {
  const socketPath = docker.address.replace("unix://", "");
  const at = join(docker.folder, "wired");
  /** Ports of the wire, by guest address. */
  const fronts = new Map<string, Promise<string>>();
  const frontOf = (url: string) => {
    const front = fronts.get(url) ?? wire.frontOf(url);
    fronts.set(url, front);
    return front;
  };
  const rewired = async (json: string): Promise<string> => {
    let answer = json;
    for (const [found, host = "", port = ""] of json.matchAll(/"HostIp":"(127[\d.]+)","HostPort":"(\d+)"/g)) {
      const { hostname, port: front } = new URL(await frontOf(`http://${host}:${port}`));
      answer = answer.replaceAll(found, `"HostIp":"${hostname}","HostPort":"${front}"`);
    }
    return answer;
  };
  const pass = (incoming: IncomingMessage, response: ServerResponse) => {
    const { method, url: path = "", headers } = incoming;
    const outgoing = request({ socketPath, method, path, headers }, async (answer) => {
      const { statusCode = 502, headers: told } = answer;
      if (!/\/containers\/[^/]+\/json$/.test(path)) {
        response.writeHead(statusCode, told);
        answer.pipe(response);
        return;
      }
      const body = await rewired(await textOf(answer));
      response.writeHead(statusCode, { "content-type": "application/json" });
      response.end(body);
    });
    outgoing.on("error", () => response.destroy());
    incoming.pipe(outgoing);
  };
  const server = createServer(pass);
  await new Promise<void>((resolve) => server.listen(at, resolve));
  return {
    address: `unix://${at}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
