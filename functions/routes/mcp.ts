// Routes of MCP (PROTOCOL 3.2): which servers the edge was started with, and what tools a server has. Loaded when one is asked for.
import type { Context } from "hono";
import { HandrailError } from "../../shared/errors.ts";
import { type McpKnown, type McpToolList, McpToolsRequest } from "../../shared/mcp.ts";
import type { Deps } from "../deps.ts";
import { readTools } from "../mcp/definitions.ts";
import { McpFailure } from "../mcp/failure.ts";
import { httpServer, knownServers, readTokens, tokenValues } from "../mcp/server-list.ts";
import { redactorsOf } from "../turn/redactors.ts";
import { readJson } from "./read-json.ts";

/** `/mcp` and `/mcp/tools`. */
export async function mcp(c: Context, deps: Deps): Promise<Response> {
  const { path, method } = c.req;
  if (method === "GET" && path === "/api/mcp") {
    const known = Object.entries(knownServers(deps));
    const servers = known.map(([name, { url }]) => ({
      name,
      host: URL.canParse(url) ? new URL(url).host : url,
    }));
    return c.json<McpKnown>({ servers });
  }
  if (method === "POST" && path === "/api/mcp/tools") {
    const place = await readJson(c, McpToolsRequest);
    const tokens = readTokens(c.req.header("x-mcp-tokens"));
    try {
      const server = httpServer(deps, place, { tokens, fetch: deps.fetch, signal: c.req.raw.signal });
      await server.open();
      const { tools, left } = readTools(await server.tools());
      const list: McpToolList = { server: server.title.slice(0, 200), tools, ...(left > 0 ? { left } : {}) };
      const { own } = redactorsOf(deps, undefined, tokenValues(deps, tokens));
      return c.body(own.redact(JSON.stringify(list)), 200, { "content-type": "application/json" });
    } catch (error) {
      if (error instanceof McpFailure) {
        const said = error.said === undefined ? "" : ` It says: ${error.said}`;
        throw new HandrailError("invalid_request", `${place.name}: ${error.message}${said}`);
      }
      throw error;
    }
  }
  throw new HandrailError("not_found", `${method} ${path}: no such route.`);
}
