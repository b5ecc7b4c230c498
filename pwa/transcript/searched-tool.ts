// What a call of `find_tool` looks for, and which tool one of `call_tool` means: words of the model.
import * as z from "zod/mini";
import type { ToolCall } from "../../shared/message.ts";

const WantedTool = z.object({ query: z.optional(z.string()), name: z.optional(z.string()) });

/** undefined for other tools; the tool's own name where the call does not say. */
export function searchedTool({
  name,
  arguments: json,
}: Pick<ToolCall, "name" | "arguments">): string | undefined {
  if (name !== "find_tool" && name !== "call_tool") return undefined;
  const { query, name: meant } = wantedIn(json);
  return (name === "find_tool" ? query : meant?.replace(/^mcp__([a-z0-9-]+)__(.+)$/, "$2 from $1")) || name;
}

function wantedIn(json: string): z.infer<typeof WantedTool> {
  try {
    return z.safeParse(WantedTool, JSON.parse(json)).data ?? {};
  } catch {
    return {};
  }
}
