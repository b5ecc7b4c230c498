// A scripted model behind a real HTTP server that speaks streamed chat completions, Responses and Messages.
// For tests; deterministic by its seed.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { ModelReply } from "./model-reply.ts";
import { cutPoints, type FakeWire, framedStream, splitAt, wholeReply } from "./model-stream.ts";

/** A message of a request, as tests read it. */
export interface RequestMessage {
  role: string;
  content: unknown;
  tool_calls?: {
    id: string;
    type: string;
    function: { name: string; arguments: string };
    extra_content?: unknown;
  }[];
  tool_call_id?: string;
  [field: string]: unknown;
}

export interface RequestBody {
  model: string;
  messages: RequestMessage[];
  tools?: {
    type: string;
    function: { name: string; description: string; parameters: Record<string, unknown> };
  }[];
  [field: string]: unknown;
}

export interface ModelRequest {
  body: RequestBody;
  headers: Record<string, string>;
  wire: FakeWire;
  /** Whether the client disconnected before the answer was complete. */
  aborted: boolean;
}

/**
 * A list is answered in order, and its last reply is repeated. A function gets the body and the number of the
 * request, from 1.
 */
export type ModelScript =
  | ModelReply[]
  | ((body: RequestBody, n: number, request: ModelRequest) => ModelReply | Promise<ModelReply>);

export interface ModelServer {
  /** Base URL for a provider, ending in /v1. */
  url: string;
  requests: ModelRequest[];
  /** The n-th request, from 1, as soon as it has arrived. */
  request(n: number): Promise<ModelRequest>;
  /** Resolves when the client of the n-th request disconnects before its answer is complete. */
  abandoned(n: number): Promise<void>;
  /** Answers later requests from another script, counted from 1 again. */
  play(script: ModelScript): void;
  close(): Promise<void>;
}

/** Whether the request asks for the name of a session or the message of a commit: `POST /api/draft`. */
function isDraft({ messages = [] }: RequestBody): boolean {
  return /^(Name the task|Write the message of a Git commit)/.test(String(messages[0]?.content));
}

/**
 * Starts a scripted model on a free port of the loopback. `drafts`: its script also answers requests of `POST
 * /api/draft`.
 */
export async function startModelServer(
  script: ModelScript,
  options: { seed?: number; drafts?: boolean } = {},
): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const sockets = new Set<Socket>();
  const arrivals = new Signals();
  const departures = new Signals();
  let playing = script;
  let before = 0;

  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const wire = /\/v1\/(?:chat\/(completions)|(responses)|(messages))$/.exec(request.url ?? "");
    const [asked] = wire?.slice(1).filter(Boolean) ?? [];
    if (request.method !== "POST" || asked === undefined) {
      response
        .writeHead(404, { "content-type": "application/json" })
        .end('{"error":{"message":"no such route"}}');
      return;
    }
    const body = JSON.parse(await readText(request)) as RequestBody;
    // Only the page asks for drafts, and they change nothing else, so scripts do not see them.
    if (options.drafts !== true && isDraft(body)) {
      response
        .writeHead(400, { "content-type": "application/json" })
        .end('{"error":{"message":"no drafts"}}');
      return;
    }
    const entry: ModelRequest = {
      ...{ body, headers: flatHeaders(request), aborted: false },
      wire: asked as FakeWire,
    };
    const n = requests.push(entry);
    const ofScript = n - before;
    response.on("close", () => {
      if (response.writableFinished) return;
      entry.aborted = true;
      departures.reach(n);
    });
    arrivals.reach(n);
    const reply =
      typeof playing === "function"
        ? await playing(body, ofScript, entry)
        : playing[Math.min(ofScript, playing.length) - 1];
    if (reply === undefined) throw new Error("the script has no reply");
    await reply.hold;
    if (!reply.hang) await send(response, reply, `r${n}`, (options.seed ?? 1) + n, entry);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    async request(n) {
      await arrivals.reached(n);
      return requests[n - 1] as ModelRequest;
    },
    abandoned: (n) => departures.reached(n),
    play(next) {
      playing = next;
      before = requests.length;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function send(
  response: ServerResponse,
  said: ModelReply,
  id: string,
  seed: number,
  { wire, body }: ModelRequest,
): Promise<void> {
  const reply = said.stall
    ? { ...said, finish: null, usage: null, quirks: { ...said.quirks, noDone: true } }
    : said;
  if (reply.status !== undefined && reply.status !== 200) {
    const type = typeof reply.body === "string" ? "text/plain" : "application/json";
    response.writeHead(reply.status, { "content-type": type, ...reply.headers });
    response.end(
      typeof reply.body === "string"
        ? reply.body
        : JSON.stringify(reply.body ?? { error: { message: `status ${reply.status}` } }),
    );
    return;
  }
  const plain = reply.quirks?.plainJson || reply.body !== undefined;
  response.writeHead(200, {
    "content-type": plain ? "application/json" : "text/event-stream",
    ...reply.headers,
  });
  const text =
    reply.body === undefined ? JSON.stringify(wholeReply(reply, id, wire, body.model)) : asText(reply.body);
  const bytes = plain ? Buffer.from(text) : framedStream(reply, id, wire, body.model);
  const whole = reply.cut === undefined ? bytes : bytes.subarray(0, reply.cut);
  for (const part of splitAt(whole, cutPoints(whole.length, reply.fragments ?? 1, seed))) {
    if (response.destroyed) return;
    await new Promise<void>((resolve) => response.write(part, () => resolve()));
  }
  if (reply.stall) return;
  if (reply.cut === undefined) response.end();
  else response.destroy();
}

function asText(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

function flatHeaders(request: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
}

/** Numbered moments that a test can await, before or after they happen. */
class Signals {
  #came = new Set<number>();
  #waiting = new Map<number, (() => void)[]>();

  reach(n: number): void {
    this.#came.add(n);
    for (const resolve of this.#waiting.get(n) ?? []) resolve();
    this.#waiting.delete(n);
  }

  reached(n: number): Promise<void> {
    if (this.#came.has(n)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.set(n, [...(this.#waiting.get(n) ?? []), resolve]));
  }
}
