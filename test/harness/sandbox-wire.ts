// A proxy between edges and a sandbox server. It counts the requests, and can withhold an answer without
// closing anything.
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface SandboxWire {
  /** The origin to use instead of the server's. */
  url: string;
  /** Method and path of every request so far. */
  requests: string[];
  /** The origin to use instead of another server's, on this same wire. */
  frontOf(url: string): Promise<string>;
  /** Leads to another server, or to the same one after a restart. */
  leadTo(url: string): void;
  /** From now on no answer to a path that contains `part` is passed on, until `speak` is called. */
  silence(part: string): void;
  speak(): void;
  /** Withholds the answer to a path that contains `part` until the returned function is called. */
  keepBack(part: string): () => void;
  /**
   * Simulates the death of an edge. Its `n`-th POST (from 1) to a path that contains `part` does not arrive
   * (`before`), or is carried out but not answered (`after`), and nothing that it sends later arrives.
   * Resolves when this point is reached.
   */
  cutAt(n: number, when: "before" | "after", part: string): Promise<void>;
  /** Passes on everything that arrives from now on. */
  mend(): void;
  close(): void;
}

interface Cut {
  /** How many POSTs still pass, including the one that is cut. */
  left: number;
  when: "before" | "after";
  part: string;
  reached(): void;
}

const uncut = { left: 1, when: "after", reached: () => undefined };

export async function startSandboxWire(serverUrl: string): Promise<SandboxWire> {
  let target = new URL(serverUrl);
  const requests: string[] = [];
  let silenced: string | undefined;
  let kept: { part: string; passed: Promise<void> } | undefined;
  let cut: Cut | undefined;
  const passTo = (to: () => URL) => (incoming: IncomingMessage, response: ServerResponse) => {
    const { hostname, port } = to();
    const { method = "GET", url: path = "/", headers } = incoming;
    requests.push(`${method} ${path}`);
    const counted = method === "POST" && cut && path.includes(cut.part) ? cut : undefined;
    if (counted) counted.left -= 1;
    const { left, when, reached } = counted ?? uncut;
    if (left < 0 || (left === 0 && when === "before")) {
      reached();
      return;
    }
    // A new connection, because the server might just be closing a reused one.
    const outgoing = request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      if (left === 0) {
        // The answer to a claim stays open as long as the turn is attended.
        if (path.includes("/claim")) reached();
        answer.on("end", reached).resume();
        return;
      }
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
    // The server notices that its client disconnected, as it would without this proxy.
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
    cutAt: (n, when, part) =>
      new Promise((reached) => {
        cut = { left: n, when, part, reached };
      }),
    mend: () => {
      cut = undefined;
    },
    close: () => {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
