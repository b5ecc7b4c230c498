// `find_tool` and `call_tool`: if there are many tools of servers, the model searches them, so that its requests stay
// small.
import * as z from "zod/mini";
import { isRecord } from "../../shared/is-record.ts";
import type { ToolDefinition } from "../model/prompt.ts";
import { mcpLimits } from "./limits.ts";
import { callToolName, findToolName } from "./tool-names.ts";

export const FindArgs = z.object({ query: z.string() });
export const CallArgs = z.object({ name: z.string(), arguments: z._default(z.unknown(), {}) });

/** The names of the servers, each with its number of tools. */
export function searchDefinitions(servers: ReadonlyMap<string, number>): ToolDefinition[] {
  const listed = [...servers].map(([name, count]) => `${name}: ${count}`).join(", ");
  return [
    {
      name: findToolName,
      description: `Find tools of MCP servers by words of their names and descriptions (${listed}).`,
      parameters: object({ query: { type: "string" } }, ["query"]),
    },
    {
      name: callToolName,
      description: "Call a tool that find_tool has shown, with arguments of its schema.",
      parameters: object({ name: { type: "string" }, arguments: { type: "object" } }, ["name", "arguments"]),
    },
  ];
}

function object(properties: object, required: string[]): Record<string, unknown> {
  return { type: "object", properties, required };
}

/** The `tools` that match `query` best, in text for the model. */
export function foundTools(query: string, tools: readonly ToolDefinition[]): string {
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const found = tools
    .map((tool) => ({ tool, fits: fitOf(words, tool) }))
    .filter(({ fits }) => fits > 0)
    .sort((a, b) => b.fits - a.fits)
    .slice(0, mcpLimits.foundTools);
  if (found.length === 0)
    return `No tool fits. There are: ${tools.map(({ name }) => name).join(", ")}`.slice(0, 6_000);
  return found.map(({ tool }) => JSON.stringify(tool)).join("\n");
}

/** A word in the name counts three times as much as one in the description or in an argument's name. */
function fitOf(words: readonly string[], { name, description, parameters }: ToolDefinition): number {
  const args = isRecord(parameters.properties) ? Object.keys(parameters.properties).join(" ") : "";
  const [inName, beside] = [name.toLowerCase(), `${description} ${args}`.toLowerCase()];
  return words.reduce(
    (sum, word) => sum + (inName.includes(word) ? 3 : 0) + (beside.includes(word) ? 1 : 0),
    0,
  );
}
