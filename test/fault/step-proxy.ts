// A proxy in front of a server. It numbers all requests, so that a test can act before and after each single
// one.
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface StepProxy {
  url: string;
  leadTo(url: string): void;
  close(): void;
}

/**
 * `at` is awaited before a request is passed on and after its whole answer arrived. It gets a description of
 * the request.
 */
export async function startStepProxy(
  to: string,
  at: (when: "before" | "after", what: string) => Promise<void>,
): Promise<StepProxy> {
  let target = new URL(to);
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, response) => {
    const { method = "GET", url: path = "/" } = incoming;
    const what = `${method} ${path.replace(/\?.*/, "")}`;
    const pass = async () => {
      const body = Buffer.concat(await incoming.toArray());
      await at("before", what);
      const answer = await asked(target, incoming, body);
      const whole = Buffer.concat(await answer.toArray());
      await at("after", what);
      const { "transfer-encoding": _, ...headers } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, { ...headers, "content-length": whole.length }).end(whole);
    };
    // The sender sees a connection that ends.
    pass().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo: (url) => {
      target = new URL(url);
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function asked({ hostname, port }: URL, incoming: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
  const { method, url: path, headers } = incoming;
  return new Promise((resolve, reject) => {
    const { "transfer-encoding": _, ...rest } = headers;
    const sent = { ...rest, ...(body.length > 0 && { "content-length": String(body.length) }) };
    const outgoing = request({ hostname, port, method, path, headers: sent, agent: false }, resolve);
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
