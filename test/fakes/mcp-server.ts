// An MCP server over streamable HTTP, honest or hostile as the test wants. It counts the requests.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface FakeTool {
  name: string;
  description?: string;
  inputSchema?: Record<string, unknown>;
  annotations?: Record<string, unknown>;
  /** The result of a call: the content's text, or a whole result. Absent = the call's arguments. */
  gives?: string | Record<string, unknown>;
  /** Sends 50 MB of text instead, as long as it is read. */
  floods?: true;
  /** Never answers. */
  hangs?: true;
  /** Answers only when this resolves. */
  waits?: Promise<unknown>;
  /** Cuts the connection instead of answering. */
  cuts?: true;
  /** Refuses with this message in JSON-RPC's form, with this code or -32602. */
  refuses?: string;
  code?: number;
  /** Answers with this content type and body instead. */
  body?: readonly [type: string, text: string];
  /** An event stream that continues without an answer. */
  drips?: true;
  /** Answers with only this HTTP status, as a proxy does. */
  status?: number;
}

export interface FakeMcp {
  url: string;
  /** May be changed at any time. The list shows its current content. */
  tools: FakeTool[];
  /** Names of the called tools, in order. */
  calls: string[];
  /** Headers of each request. */
  seen: IncomingMessage["headers"][];
  /** Bytes of a flood that have been read. */
  written: number;
  /** Every request is redirected to this address. */
  redirect: string | undefined;
  /** The session that the server knows. Any other counts as forgotten. */
  session: string;
  /** Cuts the connection after its greeting. */
  breaksOff: boolean;
  /** Answers as an event stream. */
  streams: boolean;
  /** The protocol revision in the server's answer to `initialize`. */
  revision: string;
  /** The number of tools on one page of the list. */
  page: number;
  /** A text that every error repeats. */
  leaks: boolean;
  /** A list of tools is withheld until this resolves. */
  listing?: Promise<unknown> | undefined;
  /** Called when a call arrives. */
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
  // A server may leave the stream open. The client leaves when it has the answer.
  response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}

/** Sends notifications as fast as they are read. */
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
