// One foreign tool of a turn: the words it was posted with, under the name that the model calls it by. Asks no server.
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
  /** Names a server for the hash of its tools: another address is another server. */
  whereIs(server: McpServer): string;
  /** Whether it is elsewhere than when the person saw it. */
  hasMoved(server: McpServer): Promise<boolean>;
}

/** Those that are not off, in their order. */
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
