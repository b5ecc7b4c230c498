// Which MCP servers there are for a turn or a request: those of HANDRAIL_MCP, and those that the person configured on the phone.
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import { McpCommand, McpName, type McpServer, McpServers } from "../../shared/mcp.ts";
import { describeProblem } from "../../shared/schema-problem.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import type { Deps } from "../deps.ts";
import { sha256Hex } from "../sha256.ts";
import { checkedAddress, headerOf, secretsOf } from "./address.ts";
import { McpFailure } from "./failure.ts";
import { HttpServer } from "./http-server.ts";
import { mcpLimits } from "./limits.ts";

/** HANDRAIL_MCP: by name, the address and a token or `Name: value`, or the command that starts it in the sandbox. */
const McpSettings = z.record(
  McpName,
  z.union([
    z.strictObject({ url: z.string(), token: z.optional(z.string()) }),
    z.strictObject({ command: McpCommand }),
  ]),
);
type McpSettings = z.infer<typeof McpSettings>;

/** Header `x-mcp-tokens` of a request: JSON, tokens by the names of servers. They live as long as the request. */
const Tokens = z.record(z.string(), z.string().check(z.maxLength(8_000)));
export type Tokens = z.infer<typeof Tokens>;

type ServerDeps = Pick<Deps, "mcp" | "hosts" | "version">;

/** Throws `invalid_request` in words where HANDRAIL_MCP cannot be read. */
export function knownServers({ mcp }: Pick<Deps, "mcp">): McpSettings {
  if (!mcp) return {};
  const known = z.safeParse(McpSettings, parsedJson(mcp));
  if (known.success) return known.data;
  throw new HandrailError(
    "invalid_request",
    'HANDRAIL_MCP cannot be read. Write {"docs":{"url":"https://example.com/mcp","token":"…"}} or {"files":{"command":"npx …"}}; names are of a-z 0-9 -.',
  );
}

/** Throws `invalid_request` for a header that cannot be read. */
export function readTokens(header: string | undefined): Tokens {
  if (header === undefined) return {};
  const tokens = z.safeParse(Tokens, parsedJson(header));
  if (tokens.success) return tokens.data;
  throw new HandrailError("invalid_request", 'x-mcp-tokens: write {"NAME":"TOKEN"}.');
}

/** The values of these tokens and of those that the edge has: nothing that is stored, sent or shown may hold one. */
export function tokenValues(deps: Pick<Deps, "mcp">, tokens: Tokens): string[] {
  const known = Object.values(knownServers(deps)).flatMap((one) => ("token" in one ? (one.token ?? []) : []));
  return [...Object.values(tokens), ...known].flatMap((token) => secretsOf(headerOf(token)));
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The servers that a turn is posted with. Throws `invalid_request` before anything is claimed. */
export function postedServers({ options }: TurnRequest): McpServer[] {
  const servers = z.safeParse(McpServers, options.mcp);
  const invalid = (why: string) =>
    new HandrailError("invalid_request", `options.mcp: ${why}`, { details: { field: "options.mcp" } });
  if (!servers.success) throw invalid(describeProblem(servers.error, "", options.mcp));
  if (JSON.stringify(servers.data).length > mcpLimits.turnChars)
    throw invalid("these tools take more than 400 KB; switch some of them off.");
  if (new Set(servers.data.map(({ name }) => name)).size < servers.data.length)
    throw invalid("two servers have one name.");
  if (servers.data.some(({ url, command }) => url !== undefined && command !== undefined))
    throw invalid("a server has an address or a command, not both.");
  return servers.data;
}

export interface ServerPlace {
  name: string;
  url?: string | undefined;
  command?: string | undefined;
  seconds?: number | undefined;
}

/** Its address or command, as the person reads it: permissions for its tools are bound to it. */
export function whereIs(deps: Pick<Deps, "mcp">, { name, url, command }: ServerPlace): string {
  const known = knownServers(deps)[name];
  return url ?? command ?? (known && "url" in known ? known.url : known?.command) ?? "";
}

/** Whether the edge was started with another address or command under this name than the person saw. */
export async function hasMoved(
  deps: Pick<Deps, "mcp">,
  { at, ...place }: ServerPlace & { at?: string | undefined },
): Promise<boolean> {
  if (place.url !== undefined || place.command !== undefined) return false;
  return at !== (await sha256Hex(whereIs(deps, place)));
}

/** How it is started in the sandbox; undefined = it is one with an address. */
export function commandOf(deps: Pick<Deps, "mcp">, { name, url, command }: ServerPlace): string | undefined {
  if (url !== undefined || command !== undefined) return command;
  const known = knownServers(deps)[name];
  return known && "command" in known ? known.command : undefined;
}

/** `tokens`: of the request. A server of HANDRAIL_MCP gets its own. Throws McpFailure. */
export function httpServer(
  deps: ServerDeps,
  place: ServerPlace,
  { tokens, fetch, signal }: { tokens: Tokens; fetch: typeof globalThis.fetch; signal: AbortSignal },
): HttpServer {
  const { name, url, seconds } = place;
  const found = url === undefined ? knownServers(deps)[name] : undefined;
  const known = found && "url" in found ? found : undefined;
  if (url === undefined && !known)
    throw new McpFailure("is not one that this edge was started with (HANDRAIL_MCP).");
  const token = known ? known.token : tokens[name];
  return new HttpServer({
    url: checkedAddress(known?.url ?? url ?? "", deps.hosts === undefined),
    ...(token ? { header: headerOf(token) } : {}),
    ...{ fetch, signal, version: deps.version },
    callMs: seconds === undefined ? mcpLimits.callMs : seconds * 1_000,
  });
}

/** Without credentials and query. Some services have a key in the path: long parts of it are not shown either. */
export function shownAddress(url: string): string {
  if (!URL.canParse(url)) return "no valid address";
  const { origin, pathname } = new URL(url);
  return origin + (pathname === "/" ? "" : pathname.replace(/[^/]{21,}/g, "…"));
}
