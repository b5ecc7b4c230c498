// Names the tool of an MCP server that a call uses or searches for. The model or the server wrote these names.
import * as z from "zod/mini";
import type { ToolCall } from "../../shared/message.ts";

const WantedTool = z.object({ query: z.optional(z.string()), name: z.optional(z.string()) });

const prefixed = /^mcp__([a-z0-9-]+)__(.+)$/;

/** "find_issue from tracker", for a call by its name or through `call_tool`; undefined for other tools. */
export function foreignTool(call: Pick<ToolCall, "name" | "arguments">): string | undefined {
  const isForeign = prefixed.test(call.name);
  return searchedTool(call) ?? (isForeign ? withServer(call.name) : undefined);
}

function withServer(name: string): string {
  return name.replace(prefixed, "$2 from $1");
}

/**
 * undefined for tools other than `find_tool` and `call_tool`; the name of these two themselves if the call does not
 * say more.
 */
export function searchedTool({
  name,
  arguments: json,
}: Pick<ToolCall, "name" | "arguments">): string | undefined {
  if (name !== "find_tool" && name !== "call_tool") return undefined;
  const { query, name: meant } = wantedIn(json);
  return (name === "find_tool" ? query : meant && withServer(meant)) || name;
}

function wantedIn(json: string): z.infer<typeof WantedTool> {
  try {
    return z.safeParse(WantedTool, JSON.parse(json)).data ?? {};
  } catch {
    return {};
  }
}
