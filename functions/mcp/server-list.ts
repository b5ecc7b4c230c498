// The MCP servers of a turn or a request: those of HANDRAIL_MCP, and those that the person configured on the phone.
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import { McpCommand, McpName, type McpServer, McpServers } from "../../shared/mcp.ts";
import { parsedJson } from "../../shared/parsed-json.ts";
import { describeProblem } from "../../shared/schema-problem.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import type { Deps } from "../deps.ts";
import { sha256Hex } from "../sha256.ts";
import { checkedAddress, headerOf, secretsOf } from "./address.ts";
import { McpFailure } from "./failure.ts";
import { HttpServer } from "./http-server.ts";
import { mcpLimits } from "./limits.ts";
import { addressSecrets, holdsSecret, inJson, type Redact, redactOf } from "./secrets.ts";

/**
 * HANDRAIL_MCP: by name, either the address and a token or `Name: value`, or the command that starts the server in the
 * sandbox.
 */
const McpSettings = z
  .catchall(
    z.object({}),
    z.union([
      z.strictObject({ url: z.string(), token: z.optional(z.string()) }),
      z.strictObject({ command: McpCommand }),
    ]),
  )
  .check(z.refine((servers) => Object.keys(servers).every((name) => z.safeParse(McpName, name).success)));
type McpSettings = z.infer<typeof McpSettings>;

/**
 * The header `x-mcp-tokens` of a request: JSON with tokens by the names of servers. They are kept only as long as the
 * request lasts.
 */
const Tokens = z.catchall(z.object({}), z.string().check(z.maxLength(8_000)));
export type Tokens = z.infer<typeof Tokens>;

type ServerDeps = Pick<Deps, "mcp" | "hosts" | "version">;

/** Throws `invalid_request` with an explanation if HANDRAIL_MCP cannot be parsed. */
export function knownServers({ mcp }: Pick<Deps, "mcp">): McpSettings {
  if (!mcp) return {};
  const known = z.safeParse(McpSettings, parsedJson(mcp));
  if (known.success) return known.data;
  throw new HandrailError(
    "invalid_request",
    'HANDRAIL_MCP cannot be read. Write {"docs":{"url":"https://example.com/mcp","token":"…"}} or {"files":{"command":"npx …"}}; names are of a-z 0-9 -.',
  );
}

/** Throws `invalid_request` if the header cannot be parsed. */
export function readTokens(header: string | undefined): Tokens {
  if (header === undefined) return {};
  const tokens = z.safeParse(Tokens, parsedJson(header));
  if (tokens.success) return tokens.data;
  throw new HandrailError("invalid_request", 'x-mcp-tokens: write {"NAME":"TOKEN"}.');
}

/**
 * The values of these tokens, of the edge's own tokens, and of keys in addresses: nothing that is stored, sent or shown
 * may contain one. They are included in their JSON form, because events are searched in that form.
 */
export function secretValues(
  deps: Pick<Deps, "mcp">,
  tokens: Tokens,
  places: readonly ServerPlace[],
): string[] {
  const known = Object.values(knownServers(deps)).flatMap((one) => ("url" in one ? [one] : []));
  const given = [...Object.values(tokens), ...known.flatMap(({ token }) => token ?? [])];
  const values = [
    ...given.flatMap((token) => secretsOf(headerOf(token))),
    ...[...places, ...known].flatMap(({ url }) => addressSecrets(url ?? "")),
  ];
  return [...new Set(values.flatMap((value) => [value, inJson(value)]))];
}

/**
 * For the text of one server. It does not depend on the other servers of a turn, so a tool reads the same in every
 * turn.
 */
export function redactFor(deps: Pick<Deps, "mcp" | "secrets">, place: ServerPlace, tokens: Tokens): Redact {
  const { token, url = "" } = accessOf(deps, place, tokens);
  return redactOf(deps.secrets, [...(token ? secretsOf(headerOf(token)) : []), ...addressSecrets(url)]);
}

/** The servers with which a turn is posted. Throws `invalid_request` before anything is claimed. */
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

/** The server of that name in HANDRAIL_MCP; undefined if another server is meant or there is none of that name. */
function knownServer(deps: Pick<Deps, "mcp">, { name, url, command }: ServerPlace) {
  const known = knownServers(deps);
  return url === undefined && command === undefined && Object.hasOwn(known, name) ? known[name] : undefined;
}

/** Its address or command, to which permissions for its tools are bound. */
export function whereIs(deps: Pick<Deps, "mcp">, place: ServerPlace): string {
  const known = knownServer(deps, place);
  return place.url ?? place.command ?? (known && "url" in known ? known.url : known?.command) ?? "";
}

/**
 * Whether the address or command that the edge has for this name differs from the one that the person saw.
 */
export async function hasMoved(
  deps: Pick<Deps, "mcp">,
  { at, ...place }: ServerPlace & { at?: string | undefined },
): Promise<boolean> {
  if (place.url !== undefined || place.command !== undefined) return false;
  return at !== (await sha256Hex(whereIs(deps, place)));
}

/** The command that starts it in the sandbox; undefined if it has an address instead. */
export function commandOf(deps: Pick<Deps, "mcp">, place: ServerPlace): string | undefined {
  const known = knownServer(deps, place);
  return place.command ?? (known && "command" in known ? known.command : undefined);
}

/** Its address and the token for it. `tokens` are the request's; a server of HANDRAIL_MCP has its own. */
function accessOf(
  deps: Pick<Deps, "mcp">,
  place: ServerPlace,
  tokens: Tokens,
): { url?: string | undefined; token?: string | undefined } {
  const known = knownServer(deps, place);
  if (known && "url" in known) return known;
  const { name, url } = place;
  return { url, token: Object.hasOwn(tokens, name) ? tokens[name] : undefined };
}

/** Throws McpFailure. */
export function httpServer(
  deps: ServerDeps,
  place: ServerPlace,
  { tokens, fetch, signal }: { tokens: Tokens; fetch: typeof globalThis.fetch; signal: AbortSignal },
): HttpServer {
  const { url, token } = accessOf(deps, place, tokens);
  if (url === undefined) throw new McpFailure("is not one that this edge was started with (HANDRAIL_MCP).");
  const { seconds } = place;
  return new HttpServer({
    url: checkedAddress(url, deps.hosts === undefined),
    ...(token ? { header: headerOf(token) } : {}),
    ...{ fetch, signal, version: deps.version },
    callMs: seconds === undefined ? mcpLimits.callMs : seconds * 1_000,
  });
}

/** Its address or command, in a form that may be stored and shown. */
export function shownPlace(deps: Pick<Deps, "mcp">, place: ServerPlace): string {
  const command = commandOf(deps, place);
  return command === undefined ? shownAddress(whereIs(deps, place)) : shownCommand(command);
}

/** A command that contains a secret is not started. */
function shownCommand(command: string): string {
  return holdsSecret(command) ? "a command with a secret in it" : command;
}

/**
 * Leaves out credentials and the query. Some services have a key in the path, so long parts of it are not shown either.
 */
function shownAddress(url: string): string {
  if (!URL.canParse(url)) return "no valid address";
  const { origin, pathname } = new URL(url);
  const secrets = new Set(addressSecrets(url));
  const parts = pathname.split("/").map((part) => (part.length > 20 || secrets.has(part) ? "…" : part));
  return origin + (pathname === "/" ? "" : parts.join("/"));
}
