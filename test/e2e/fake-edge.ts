// Replaces the edge in tests of the phone alone: it serves the built PWA and plays prepared events.
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import type { DurableDraft, EphemeralEvent } from "../../shared/event.ts";
import type { TurnBody } from "../../shared/session/turn-request.ts";
import { listedCommands } from "./listed-commands.ts";

/** One action of a turn: a durable draft gets its id here, a promise is awaited, "cut" breaks the stream. */
export type Played = DurableDraft | EphemeralEvent | Promise<unknown> | "cut";

export interface FakeEdge {
  url: string;
  token: string;
  /** Every turn that was posted, including repeated attempts. */
  posts: TurnBody[];
  /** The number of requests that followed a stream. */
  follows: number;
  /** The bodies of the requests that made sandboxes. */
  made: unknown[];
  /** Sandboxes whose grants were revoked, with the grant if the request named one. */
  revoked: string[];
  /** The ids of deleted sandboxes. */
  deleted: string[];
  play(script: (body: TurnBody) => Iterable<Played>): void;
  diff(text: string): void;
  close(): Promise<void>;
}

interface Journal {
  events: string[];
  finished: boolean;
  running: boolean;
  started?: string;
  listeners: Set<() => void>;
}

const dist = fileURLToPath(new URL("../../dist/pwa", import.meta.url));
const types: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
};
const durable = new Set([
  "turn.started",
  "mode",
  "message",
  "plan",
  "step",
  "questions",
  "ledger",
  "proposal",
  "permission",
  "turn.done",
  "turn.failed",
]);

export async function startFakeEdge(options: { demo?: boolean; app?: string } = {}): Promise<FakeEdge> {
  const token = "fake-token-of-thirty-two-characters!";
  const journals = new Map<string, Journal>();
  const posts: TurnBody[] = [];
  let script: (body: TurnBody) => Iterable<Played> = () => [];
  let diff = "";
  let sandboxes = 0;
  let granted = [{ id: "turn-1", at: 1_000, risk: "remote", program: "git", subcommand: "push" }];

  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy());
  });
  const edge: FakeEdge = {
    url: "",
    token,
    posts,
    follows: 0,
    made: [],
    revoked: [],
    deleted: [],
    play: (next) => {
      script = next;
    },
    diff: (text) => {
      diff = text;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://fake");
    if (!pathname.startsWith("/api/")) return serveFile(options.app ?? dist, pathname, request, response);
    if (request.headers.authorization !== `Bearer ${token}`) {
      return json(response, 401, {
        error: { code: "unauthorized", message: "This token is not the server's." },
      });
    }
    if (pathname === "/api/config") {
      return json(response, 200, {
        providers: [
          {
            id: "default",
            label: "Scripted",
            models: [{ id: "demo", contextWindow: 100_000 }],
            demo: options.demo ?? true,
          },
        ],
        sandbox: { engine: "local", isolation: "bubblewrap", readonlyExec: "os" },
        limits: { maxBodyBytes: 8 * 1024 * 1024 },
        workspace: { kind: "folder", name: "acme/gateway" },
        continuesUnattended: true,
      });
    }
    if (pathname === "/api/sandboxes") {
      if (request.method === "GET") return json(response, 200, { sandboxes: [], next: null });
      sandboxes += 1;
      edge.made.push(JSON.parse((await text(request)) || "{}"));
      return json(response, 201, { sandboxId: `sb${sandboxes}`, state: "ready", workspace: "acme/gateway" });
    }
    if (/^\/api\/sandboxes\/[^/]+\/(grants|hosts)/.test(pathname) && request.method === "DELETE") {
      edge.revoked.push(pathname.slice(15));
      granted = [];
      return void response.writeHead(204).end();
    }
    if (pathname.startsWith("/api/sandboxes/") && !pathname.startsWith("/api/sandboxes/sb")) {
      return json(response, 404, { error: { code: "not_found", message: "This sandbox does not exist." } });
    }
    if (/^\/api\/sandboxes\/sb\d+$/.test(pathname)) {
      if (request.method === "DELETE") {
        edge.deleted.push(pathname.slice(15));
        return void response.writeHead(204).end();
      }
      return json(response, 200, {
        sandboxId: pathname.slice(15),
        state: "ready",
        workspace: "acme/gateway",
        grants: granted,
      });
    }
    if (pathname.endsWith("/diff")) return plain(response, "text/x-diff", diff);
    if (pathname.endsWith("/changes"))
      return json(response, 200, { own: diff, others: "", truncated: false, mixed: [], commits: [] });
    if (pathname.endsWith("/commands")) return json(response, 200, listedCommands);
    if (pathname.endsWith("/tree")) {
      return json(response, 200, {
        entries: [
          { path: "gateway", type: "dir", size: 0 },
          { path: "README.md", type: "file", size: 2_130 },
        ],
        truncated: false,
      });
    }
    if (pathname.endsWith("/file"))
      return plain(response, "text/plain", "# Gateway\n\nCounts requests for each address.\n");
    const [, , , , turnId = "", what] = pathname.split("/");
    if (what === "stop") {
      const journal = journals.get(turnId);
      if (journal !== undefined) end(journal, { event: "turn.done", data: { reason: "stopped", rounds: 1 } });
      return json(response, 202, {});
    }
    if (what === "events") {
      edge.follows += 1;
      const journal = journals.get(turnId);
      if (journal === undefined) {
        return json(response, 404, { error: { code: "not_found", message: "This turn is not known." } });
      }
      return stream(response, journal, Number(searchParams.get("after") ?? 0));
    }
    if (pathname === "/api/turn") return turn(request, response);
    return json(response, 404, { error: { code: "not_found", message: "No such route." } });
  }

  async function turn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await text(request)) as TurnBody;
    posts.push(body);
    let journal = journals.get(body.turnId);
    if (journal === undefined) {
      journal = { events: [], finished: false, running: false, listeners: new Set() };
      journals.set(body.turnId, journal);
    }
    if (!journal.running && !journal.finished) {
      journal.running = true;
      void run(journal, body, response);
    }
    return stream(response, journal, body.after ?? 0);
  }

  /** Writes the script into the journal and sends ephemeral events to the open stream. */
  async function run(journal: Journal, body: TurnBody, response: ServerResponse): Promise<void> {
    // The stream opens first, since it would miss ephemeral events that were sent before.
    await Promise.resolve();
    const skip = journal.events.length;
    let id = 0;
    for (const played of script(body)) {
      if (journal.finished) return;
      if (played === "cut") {
        if (id >= skip) {
          // Some bytes must arrive first: browsers silently repeat a request that was cut before any answer.
          await new Promise((resolve) => response.write(": cut\n\n", resolve));
          response.destroy();
          journal.running = false;
          for (const listener of journal.listeners) listener();
          return;
        }
        continue;
      }
      if (played instanceof Promise) {
        await played;
        continue;
      }
      if (!durable.has(played.event)) {
        const lines = `event: ${played.event}\ndata: ${JSON.stringify(played.data)}\n\n`;
        if (played.event === "tool.started") journal.started = lines;
        if (id >= skip) response.write(lines);
        continue;
      }
      id += 1;
      if (id > skip) append(journal, played.event, played.data);
      if (played.event === "turn.done" || played.event === "turn.failed") journal.finished = true;
    }
    journal.running = false;
    for (const listener of journal.listeners) listener();
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  edge.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return edge;
}

function append(journal: Journal, event: string, data: unknown): void {
  journal.events.push(`id: ${journal.events.length + 1}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  for (const listener of journal.listeners) listener();
}

function end(journal: Journal, last: DurableDraft): void {
  if (journal.finished) return;
  journal.finished = true;
  append(journal, last.event, last.data);
}

/** Sends the journal from `after` on, as it grows, until its end. */
function stream(response: ServerResponse, journal: Journal, after: number): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.write(": open\n\n");
  let sent = after;
  // A client that joins in the middle is told which call runs.
  const { started = "" } = journal;
  const send = () => {
    while (sent < journal.events.length) {
      response.write(journal.events[sent] ?? "");
      sent += 1;
    }
    // The turn is not running any more, so the stream ends without a last event.
    if (journal.finished || !journal.running) response.end();
  };
  journal.listeners.add(send);
  queueMicrotask(() => journal.running && response.write(started));
  response.on("close", () => journal.listeners.delete(send));
  send();
}

/** Serves a file, compressed as in the product. */
async function serveFile(
  folder: string,
  pathname: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = pathname === "/" ? "/index.html" : pathname;
  const bytes = await readFile(join(folder, path)).catch(() => undefined);
  const zips = bytes !== undefined && (request.headers["accept-encoding"] ?? "").includes("gzip");
  response.writeHead(bytes === undefined ? 404 : 200, {
    "content-type": types[extname(path)] ?? "application/octet-stream",
    ...(zips ? { "content-encoding": "gzip" } : {}),
  });
  response.end(zips ? gzipSync(bytes) : bytes);
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  const bytes = Buffer.concat(chunks);
  return (request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString("utf8");
}

function plain(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, { "content-type": type }).end(body);
}
