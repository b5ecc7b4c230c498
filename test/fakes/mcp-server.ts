// An MCP server by streamable HTTP, honest or hostile as a test has it: it counts what it is asked.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface FakeTool {
  name: string;
  description?: string;
  inputSchema?: Record<string, unknown>;
  annotations?: Record<string, unknown>;
  /** What a call gives: the content's text, or a whole result. Absent = its arguments. */
  gives?: string | Record<string, unknown>;
  /** 50 MB of text instead, written as long as they are read. */
  floods?: true;
  /** Never answered. */
  hangs?: true;
  /** Held until this resolves. */
  waits?: Promise<unknown>;
  /** The connection is cut in the place of an answer. */
  cuts?: true;
  /** Refused with this message, as JSON-RPC has it, by this code or -32602. */
  refuses?: string;
  code?: number;
  /** Answered with this body and content type instead. */
  body?: readonly [type: string, text: string];
  /** An event stream that goes on without an answer. */
  drips?: true;
  /** Answered with this HTTP status alone, as a proxy does. */
  status?: number;
}

export interface FakeMcp {
  url: string;
  /** Change it at any time: it is listed as it is now. */
  tools: FakeTool[];
  /** Names of the tools that were called, in order. */
  calls: string[];
  /** Headers of each request. */
  seen: IncomingMessage["headers"][];
  /** Bytes of a flood that somebody has read. */
  written: number;
  /** Every request is sent on to this address. */
  redirect: string | undefined;
  /** The session that it knows: another one is forgotten. */
  session: string;
  /** Cuts the connection after its hello. */
  breaksOff: boolean;
  /** Answers as an event stream. */
  streams: boolean;
  /** The revision that it answers its greeting with. */
  revision: string;
  /** Tools on one page of the list. */
  page: number;
  /** What every error repeats. */
  leaks: boolean;
  /** A list of tools is held until this resolves. */
  listing?: Promise<unknown> | undefined;
  /** Called as a call comes. */
  onCall?: () => void;
  close(): Promise<void>;
}

const emptySchema = { type: "object", properties: {} };

export async function startMcpServer(tools: FakeTool[] = []): Promise<FakeMcp> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => void answer(fake, request, response, JSON.parse(body || "{}")));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const fake: FakeMcp = {
    ...{ url: `http://127.0.0.1:${port}/mcp`, tools, calls: [], seen: [], written: 0 },
    ...{ redirect: undefined, session: "session-1", breaksOff: false },
    ...{ streams: false, page: 100, leaks: false, revision: "2025-06-18" },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

interface Asked {
  id?: string;
  method: string;
  params?: { name?: string; arguments?: unknown; cursor?: string };
}

async function answer(fake: FakeMcp, request: IncomingMessage, response: ServerResponse, asked: Asked) {
  fake.seen.push(request.headers);
  if (fake.redirect !== undefined) {
    response.writeHead(307, { location: fake.redirect }).end();
    return;
  }
  const { id, method, params = {} } = asked;
  const say = (message: object) => send(fake, response, { jsonrpc: "2.0", id, ...message });
  if (method === "initialize") {
    response.setHeader("mcp-session-id", fake.session);
    const serverInfo = { name: "Fake", version: "1" };
    return say({ result: { protocolVersion: fake.revision, capabilities: { tools: {} }, serverInfo } });
  }
  if (method.startsWith("notifications/")) {
    if (fake.breaksOff) {
      response.destroy();
      return;
    }
    response.writeHead(202).end();
    return;
  }
  if (request.headers["mcp-session-id"] !== fake.session) {
    response.writeHead(404).end();
    return;
  }
  if (method === "tools/list") {
    await fake.listing;
    const from = Number(params.cursor ?? 0);
    const listed = fake.tools.slice(from, from + fake.page).map(definition);
    const next = from + fake.page < fake.tools.length ? { nextCursor: String(from + fake.page) } : {};
    return say({ result: { tools: listed, ...next } });
  }
  const tool = fake.tools.find(({ name }) => name === params.name);
  fake.calls.push(params.name ?? "");
  fake.onCall?.();
  if (!tool || fake.leaks) {
    const leaked = `no such thing; you sent ${request.headers.authorization}`;
    return say({ error: { code: -32602, message: leaked } });
  }
  if (tool.hangs) return;
  await tool.waits;
  if (tool.cuts) {
    response.destroy();
    return;
  }
  if (tool.status !== undefined) {
    response.writeHead(tool.status).end("upstream");
    return;
  }
  if (tool.refuses !== undefined) return say({ error: { code: tool.code ?? -32602, message: tool.refuses } });
  if (tool.body) {
    const [type, text] = tool.body;
    response.writeHead(200, { "content-type": type }).end(text);
    return;
  }
  if (tool.drips) return drip(response);
  if (tool.floods) return flood(fake, response);
  const { gives = JSON.stringify(params.arguments) } = tool;
  say({ result: typeof gives === "string" ? { content: [{ type: "text", text: gives }] } : gives });
}

function definition({
  name,
  description = `Does ${name}.`,
  inputSchema = emptySchema,
  annotations,
}: FakeTool) {
  return { name, description, inputSchema, ...(annotations ? { annotations } : {}) };
}

function send({ streams }: FakeMcp, response: ServerResponse, message: object): void {
  if (!streams) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message));
    return;
  }
  const notice = { jsonrpc: "2.0", method: "notifications/progress", params: {} };
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(`data: ${JSON.stringify(notice)}\n\n`);
  // A server may leave the stream open: whoever has the answer goes.
  response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}

/** Notices as fast as they are read. */
function drip(response: ServerResponse): void {
  const notice = JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: {} });
  response.writeHead(200, { "content-type": "text/event-stream" });
  const write = () => {
    if (!response.destroyed) response.write(`data: ${notice}\n\n`, () => setImmediate(write));
  };
  write();
}

function flood(fake: FakeMcp, response: ServerResponse): void {
  const piece = "x".repeat(64 * 1024);
  response.writeHead(200, { "content-type": "application/json" });
  const write = (): void => {
    while (fake.written < 50_000_000 && !response.destroyed) {
      fake.written += piece.length;
      if (!response.write(piece)) {
        response.once("drain", write);
        return;
      }
    }
    response.end();
  };
  write();
}
