// Stands between edges and a sandbox server: counts the requests, and can keep an answer back without closing anything.
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface SandboxWire {
  /** Origin to use in place of the server's. */
  url: string;
  /** Method and path of every request so far. */
  requests: string[];
  /** Origin to use in place of that of one more server, on this same wire. */
  frontOf(url: string): Promise<string>;
  /** Another server, or the same one after a restart. */
  leadTo(url: string): void;
  /** From now on nothing that comes back for a path with `part` in it is passed on, until `speak`. */
  silence(part: string): void;
  speak(): void;
  /** What comes back for a path with `part` in it waits until this is called. */
  keepBack(part: string): () => void;
  close(): void;
}

export async function startSandboxWire(serverUrl: string): Promise<SandboxWire> {
  let target = new URL(serverUrl);
  const requests: string[] = [];
  let silenced: string | undefined;
  let kept: { part: string; passed: Promise<void> } | undefined;
  const passTo = (to: () => URL) => (incoming: IncomingMessage, response: ServerResponse) => {
    const { hostname, port } = to();
    const { method = "GET", url: path = "/", headers } = incoming;
    requests.push(`${method} ${path}`);
    // A connection of its own: one that is used again may be closed by the server in that moment.
    const outgoing = request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      if (silenced !== undefined && path.includes(silenced)) {
        answer.resume();
        return;
      }
      const pipe = () => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      };
      if (kept && path.includes(kept.part)) void kept.passed.then(pipe);
      else pipe();
    });
    outgoing.on("error", () => response.destroy());
    // The server sees its client leave as it would without us.
    response.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  };
  const servers: Server[] = [];
  const listen = async (to: () => URL): Promise<string> => {
    const server = createServer({ keepAliveTimeout: 0 }, passTo(to));
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  return {
    url: await listen(() => target),
    requests,
    frontOf: (url) => listen(() => new URL(url)),
    leadTo(url) {
      target = new URL(url);
    },
    silence: (part) => {
      silenced = part;
    },
    speak: () => {
      silenced = undefined;
    },
    keepBack: (part) => {
      let release = () => {};
      kept = {
        part,
        passed: new Promise((resolve) => {
          release = resolve;
        }),
      };
      return () => {
        kept = undefined;
        release();
      };
    },
    close: () => {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
