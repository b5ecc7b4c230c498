// Tokens of MCP servers, encrypted like those of forges, and the header that sends them with a turn.
import * as z from "zod/mini";
import { type ForgeTokens, forgeTokens } from "./forge-tokens.ts";
import type { Kv } from "./kv.ts";

const McpPlace = z.object({
  name: z.string(),
  url: z.optional(z.string()),
  /** The command that starts the server in the sandbox. Such a server has no token. */
  command: z.optional(z.string()),
});
export type McpPlace = z.infer<typeof McpPlace>;

const made = new WeakMap<Kv, ForgeTokens>();

/** Returns the page's one token store: tokens that cannot be encrypted are only in its memory. */
export function mcpTokens(kv: Kv): ForgeTokens {
  const tokens = made.get(kv) ?? forgeTokens(kv, crypto.subtle, "mcp/token/");
  made.set(kv, tokens);
  return tokens;
}

/** A token belongs to an address, so a server that gets another address has none. */
export function sealedFor({ name, url = "" }: McpPlace): string {
  return `${name} ${url}`;
}

/** The header `x-mcp-tokens` of a request with these servers. Servers from the edge's own configuration need none. */
export async function tokenHeader(
  tokens: ForgeTokens,
  servers: readonly unknown[],
): Promise<Record<string, string>> {
  const own = z.parse(z.array(McpPlace), servers).filter(({ url }) => url !== undefined);
  const read = await Promise.all(own.map(async (place) => [place.name, await tokens.read(sealedFor(place))]));
  const found = read.filter(([, token]) => token !== "");
  return found.length === 0 ? {} : { "x-mcp-tokens": JSON.stringify(Object.fromEntries(found)) };
}
