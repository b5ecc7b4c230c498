// A provider that streams at a fixed pace, and a sandbox that records everything and runs nothing, for
// measurements of the edge.
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The gap of a fast model, which writes a hundred tokens a second, each of them separately. */
const tokenGapMs = 10;
const words = "The change is small : the loop reads one item too many and the test shows it .".split(" ");

/** One text of a stream, and the time when it was written, in milliseconds of `performance.now()`. */
export interface Written {
  text: string;
  at: number;
}

export interface Stage {
  /** The stage's origin: the provider is below /v1, and the sandbox has the other paths. */
  url: string;
  /** The texts of the newest stream. */
  written: readonly Written[];
  close(): Promise<void>;
}

/**
 * Starts the stage. The model's id says what it does: `t400` streams 400 tokens; `r10` reads the file `a.txt`
 * in ten rounds, then answers with a word.
 */
export async function startStage(): Promise<Stage> {
  let written: Written[] = [];
  const server = createServer((incoming, response) => {
    void readText(incoming).then((text) => {
      const path = incoming.url ?? "";
      if (path.endsWith("/chat/completions")) {
        written = [];
        complete(text, written, response);
      } else if (path.endsWith("/claim")) json(response, { records: [], results: [], finished: false });
      else if (path.endsWith("/calls")) runCalls(text, response);
      else response.writeHead(404).end();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get written() {
      return written;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function complete(body: string, written: Written[], response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const rounds = /"model":"r(\d+)"/.exec(body)?.[1];
  const round = body.split('"role":"tool"').length;
  if (rounds === undefined || round > Number(rounds)) {
    stream(Number(/"model":"t(\d+)"/.exec(body)?.[1] ?? 1), written, response);
    return;
  }
  const call = { index: 0, id: `call_${round}`, type: "function" };
  const delta = { tool_calls: [{ ...call, function: { name: "read_file", arguments: '{"path":"a.txt"}' } }] };
  response.end(`${chunk(delta, null)}${chunk({}, "tool_calls")}data: [DONE]\n\n`);
}

/** Only reads of the file have results; files that the edge itself looks for do not exist. */
function runCalls(body: string, response: ServerResponse): void {
  const { calls } = JSON.parse(body) as { calls: { key: string; args: { path?: string } }[] };
  const value = {
    path: "a.txt",
    version: "v1",
    start: 1,
    end: 1,
    total: 1,
    rows: "1foo|x",
    truncated: false,
  };
  const results = calls
    .filter(({ args }) => args.path === "a.txt")
    .map(({ key }) => ({ type: "result", key, ok: true, value, replayed: false, at: 1, ms: 1 }));
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  const lines = [{ type: "recorded", seq: 1 }, ...results, { type: "end" }];
  response.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

function chunk(delta: object, finish: string | null): string {
  return `data: ${JSON.stringify({
    id: "chatcmpl-AbCdEfGhIjKlMnOpQrStUvWxYz012",
    object: "chat.completion.chunk",
    created: 1_735_000_000,
    model: "gpt-4.1-mini-2025-04-14",
    service_tier: "default",
    system_fingerprint: "fp_0123456789",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    usage: null,
  })}\n\n`;
}

function stream(tokens: number, written: Written[], response: ServerResponse): void {
  let sent = 0;
  const timer = setInterval(() => {
    if (sent < tokens) {
      // Words are cut as tokenizers do, with the preceding space.
      const text = `${sent > 0 ? " " : ""}${words[sent % words.length]}`;
      response.write(chunk({ content: text }, null));
      written.push({ text, at: performance.now() });
    } else {
      clearInterval(timer);
      response.end(`${chunk({}, "stop")}data: [DONE]\n\n`);
    }
    sent += 1;
  }, tokenGapMs);
  response.on("close", () => clearInterval(timer));
}

export interface AskInit {
  method: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends a request and reads its answer to the end; `check` gets the whole answer. */
export function ask(url: string, init: AskInit, check: (text: string) => boolean): Promise<void> {
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
