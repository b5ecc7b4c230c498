// One tool of a server in a turn: the texts with which the turn was posted, under the name by which the model calls it.
// It sends no requests.
import type { McpServer, McpTool, McpUse } from "../../shared/mcp.ts";
import { shownSchema } from "../../shared/shown-tool.ts";
import { visibleText } from "../../shared/visible-text.ts";
import type { ToolDefinition } from "../model/prompt.ts";
import { hashOfTool } from "./definitions.ts";
import { callNames } from "./tool-names.ts";

export interface TurnTool {
  server: McpServer;
  tool: McpTool & { use: McpUse };
  hash: string;
  /** Its server has moved, so it is not called. */
  moved: boolean;
  shown: ToolDefinition;
}

export interface Places {
  /** Names a server in the hash of its tools: at another address it is another server. */
  whereIs(server: McpServer): string;
  /** Whether its address differs from the one that the person saw. */
  hasMoved(server: McpServer): Promise<boolean>;
}

/** The tools that are not off, in their order. */
export function usedTools(servers: readonly McpServer[], places: Places): Promise<TurnTool[]> {
  const used = servers.flatMap((server) =>
    server.tools.filter(({ use }) => use !== "off").map((tool) => ({ server, tool })),
  );
  const names = callNames(used.map(({ server, tool }) => ({ server: server.name, tool: tool.name })));
  return Promise.all(
    used.map(async ({ server, tool }, at) => ({
      ...{ server, tool, hash: await hashOfTool(places.whereIs(server), tool) },
      moved: await places.hasMoved(server),
      shown: {
        name: names[at] ?? "",
        description: `[MCP server ${server.name}] ${visibleText(tool.description)}`,
        parameters: shownSchema(tool.inputSchema),
      },
    })),
  );
}
