// A provider that streams at a fixed pace, and a sandbox that records everything and runs nothing. For measuring the edge.
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A fast model: a hundred tokens a second, each its own write. */
const tokenGapMs = 10;
const words = "The change is small : the loop reads one item too many and the test shows it . ".split(" ");

export interface Stage {
  /** Origin: the provider is below /v1, and so is the sandbox, by other paths. */
  url: string;
  close(): Promise<void>;
}

/** The model's id says how many tokens it streams: `t400`. */
export async function startStage(): Promise<Stage> {
  const server = createServer((incoming, response) => {
    void readText(incoming).then((text) => respond(incoming.url ?? "", text, response));
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function respond(path: string, body: string, response: ServerResponse): void {
  const json = (value: unknown) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
  if (path.endsWith("/chat/completions")) stream(Number(/"model":"t(\d+)"/.exec(body)?.[1]), response);
  else if (path.endsWith("/claim")) json({ records: [], results: [], finished: false });
  else if (path.endsWith("/calls"))
    response
      .writeHead(200, { "content-type": "application/x-ndjson" })
      .end('{"type":"recorded","seq":1}\n{"type":"end"}\n');
  else response.writeHead(404).end();
}

function stream(tokens: number, response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const chunk = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({
      id: "chatcmpl-AbCdEfGhIjKlMnOpQrStUvWxYz012",
      object: "chat.completion.chunk",
      created: 1_735_000_000,
      model: "gpt-4.1-mini-2025-04-14",
      service_tier: "default",
      system_fingerprint: "fp_0123456789",
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      usage: null,
    })}\n\n`;
  let sent = 0;
  const timer = setInterval(() => {
    if (sent < tokens) response.write(chunk({ content: `${words[sent % words.length]} ` }, null));
    else {
      clearInterval(timer);
      response.end(`${chunk({}, "stop")}data: [DONE]\n\n`);
    }
    sent += 1;
  }, tokenGapMs);
  response.on("close", () => clearInterval(timer));
}

/** Sends a request and reads its answer to the end; `check` is asked about all of it. */
export function ask(
  url: string,
  init: { method: string; headers?: Record<string, string>; body?: string },
  check: (text: string) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: init.method, headers: init.headers ?? {} }, (response) => {
      void readText(response).then((text) =>
        check(text) ? resolve() : reject(new Error(`unexpected answer: ${text.slice(0, 500)}`)),
      );
    });
    outgoing.on("error", reject);
    outgoing.end(init.body);
  });
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
