// The demo model over HTTP: /v1/models and /v1/chat/completions, like any OpenAI-compatible server. No state.
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod/mini";
import { ChatRequest } from "./conversation.ts";
import { nextReply } from "./script.ts";
import { modelId, streamChunks, wholeCompletion } from "./stream.ts";

/** A request contains the whole conversation; real ones are never larger. */
const maxBodyBytes = 16 * 1024 * 1024;

/** `delayMs`: pause before each word. */
export function createDemoServer({ delayMs }: { delayMs: number }): Server {
  return createServer((request, response) => {
    answer(request, response, delayMs).catch(() => {
      if (response.headersSent) response.destroy();
      else sendError(response, 400, "the request is not a chat completion");
    });
  });
}

async function answer(request: IncomingMessage, response: ServerResponse, delayMs: number): Promise<void> {
  const path = (request.url ?? "").split("?")[0];
  if (request.method === "GET" && path === "/v1/models") {
    return sendJson(response, {
      object: "list",
      data: [{ id: modelId, object: "model", created: 0, owned_by: "handrail" }],
    });
  }
  if (request.method !== "POST" || path !== "/v1/chat/completions")
    return sendError(response, 404, "no such route");
  const asked = z.parse(ChatRequest, JSON.parse(await readBody(request)));
  const made = nextReply(asked);
  const id = `demo-${randomUUID()}`;
  const createdS = Math.floor(Date.now() / 1000);
  if (!asked.stream) return sendJson(response, wholeCompletion(made, id, createdS));
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  for (const { data, paced } of streamChunks(made, id, createdS)) {
    if (paced && delayMs > 0) await wait(delayMs, undefined, { signal: gone.signal });
    response.write(`data: ${data}\n\n`);
  }
  response.end("data: [DONE]\n\n");
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    const buffer = Buffer.from(part as Uint8Array);
    bytes += buffer.length;
    if (bytes > maxBodyBytes) throw new Error("too large");
    parts.push(buffer);
  }
  return Buffer.concat(parts).toString("utf8");
}

function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function sendError(response: ServerResponse, status: number, message: string): void {
  sendJson(response, { error: { message, type: "invalid_request_error" } }, status);
}
