// Routes of MCP (PROTOCOL 3.2): the servers in the edge's configuration, and the tools of a server. Loaded with the
// first such request.
import type { Context } from "hono";
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import { type McpKnown, type McpToolList, McpToolsRequest } from "../../shared/mcp.ts";
import { SandboxId } from "../../shared/sandbox.ts";
import type { Deps } from "../deps.ts";
import { readTools } from "../mcp/definitions.ts";
import { McpFailure } from "../mcp/failure.ts";
import {
  commandOf,
  hasMoved,
  httpServer,
  knownServers,
  readTokens,
  redactFor,
  shownPlace,
  whereIs,
} from "../mcp/server-list.ts";
import { stdioOp, toolsOf } from "../mcp/stdio-server.ts";
import { sha256Hex } from "../sha256.ts";
import { readJson } from "./read-json.ts";

/** `/mcp` and `/mcp/tools`. */
export async function mcp(c: Context, deps: Deps): Promise<Response> {
  const { path, method } = c.req;
  if (method === "GET" && path === "/api/mcp") {
    const known = Object.entries(knownServers(deps));
    const servers = known.map(async ([name, server]) => {
      const at = await sha256Hex(whereIs(deps, { name }));
      return { name, host: shownPlace(deps, { name }), at, ...("command" in server && { program: true }) };
    });
    return c.json<McpKnown>({ servers: await Promise.all(servers) });
  }
  if (method === "POST" && path === "/api/mcp/tools") {
    const place = await readJson(c, McpToolsRequest);
    const tokens = readTokens(c.req.header("x-mcp-tokens"));
    const redact = redactFor(deps, place, tokens);
    if (place.at !== undefined && (await hasMoved(deps, place)))
      throw new HandrailError(
        "invalid_request",
        `${place.name} has another address by now. Open Settings again to see it.`,
      );
    try {
      const said = await askedFor(deps, place, { tokens, fetch: deps.fetch, signal: c.req.raw.signal });
      const { tools, left } = readTools(said.tools, redact, commandOf(deps, place) !== undefined);
      const title = redact(said.title).slice(0, 200);
      return c.json<McpToolList>({ server: title, tools, ...(left > 0 ? { left } : {}) });
    } catch (error) {
      if (error instanceof McpFailure) {
        const said = error.said ? ` It says: ${redact(error.said).slice(0, 1_000)}` : "";
        throw new HandrailError("invalid_request", redact(`${place.name}: ${error.message}`) + said);
      }
      throw error;
    }
  }
  throw new HandrailError("not_found", `${method} ${path}: no such route.`);
}

/** A server's own description of its tools, unchecked. Throws McpFailure. */
async function askedFor(
  deps: Deps,
  place: McpToolsRequest,
  access: Parameters<typeof httpServer>[2],
): Promise<{ title: string; tools: unknown[] }> {
  const command = commandOf(deps, place);
  if (command === undefined) {
    const server = httpServer(deps, place, access);
    await server.open();
    return { tools: await server.tools(), title: server.title };
  }
  const id = z.safeParse(SandboxId, place.sandboxId);
  if (place.url !== undefined || !id.success)
    throw new HandrailError(
      "invalid_request",
      "A program is started in a sandbox: give sandboxId, and no url.",
    );
  // Listing tools changes nothing, whatever mode the session is in.
  const mayDo = place.write === true ? "write" : "readonly";
  const op = {
    key: `api-${deps.newId()}`,
    ...stdioOp(command, deps.version, undefined, mayDo === "readonly"),
  };
  for await (const line of deps.sandbox.calls(id.data, { access: mayDo, calls: [op] }, access.signal))
    if (line.type === "result") return toolsOf(line);
  throw new HandrailError("sandbox_unreachable", "The sandbox server ended without a result. Try again.");
}
