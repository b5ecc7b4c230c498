// The MCP servers of this device: their settings, the current texts of their tools, and the tools that each turn is
// posted with. Loaded with the settings.
import { signal } from "@preact/signals";
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import { isRecord } from "../../shared/is-record.ts";
import { McpKnown, McpServer, McpTool, McpToolList, McpUse } from "../../shared/mcp.ts";
import { type McpPlace, mcpTokens, sealedFor, tokenHeader } from "../storage/mcp-tokens.ts";
import type { SessionRecord } from "../storage/session-record.ts";
import { api, changeSettings, kv, records } from "./app-state.ts";

const storedAs = "mcp/servers";
const tokens = mcpTokens(kv);

/** Whether stored tokens survive closing the app. */
export const mcpTokensLast = tokens.lasts;

/**
 * `now` is the tool as it is now, if it changed since the person last saw it; null means that it is gone. A changed
 * tool is off until the person has looked at it.
 */
const KeptTool = z.object({
  ...McpTool.shape,
  use: McpUse,
  now: z.optional(z.nullable(McpTool)),
});
export type KeptTool = z.infer<typeof KeptTool>;

const KeptMcp = z.object({ ...McpServer.shape, tools: z.array(KeptTool) });
export type KeptMcp = z.infer<typeof KeptMcp>;

export const mcpServers = signal<readonly KeptMcp[]>([]);
/** The servers that the edge itself was started with. */
export const mcpOfServer = signal<McpKnown["servers"]>([]);

export async function loadMcp(): Promise<void> {
  const kept = z.safeParse(z.array(KeptMcp), await kv.get(storedAs));
  mcpServers.value = kept.success ? kept.data : [];
  mcpOfServer.value = z.parse(McpKnown, await (await api.send("/mcp")).json()).servers;
}

/** The server's address or command, for the screen. */
export function mcpPlaceText({ name, url, command }: Pick<KeptMcp, "name" | "url" | "command">): string {
  if (command !== undefined) return command;
  if (url !== undefined) return URL.canParse(url) ? new URL(url).host : url;
  return mcpOfServer.value.find((known) => known.name === name)?.host ?? "this server";
}

/** The most recently used session with a sandbox: a program is asked for its tools there. */
export function sessionForPrograms(): SessionRecord | undefined {
  return [...records.value]
    .filter(({ sandboxId, deletedAt }) => sandboxId !== "" && deletedAt === undefined)
    .sort((a, b) => b.updatedAt - a.updatedAt)[0];
}

export function isProgram({ name, url, command }: McpPlace): boolean {
  const known = mcpOfServer.value.find((one) => one.name === name);
  return command !== undefined || (url === undefined && known?.program === true);
}

/** True if the server has moved: its owner gave it another address or command, which the person has not seen. */
export function hasMoved({ name, url, command, at }: KeptMcp): boolean {
  const known = mcpOfServer.value.find((one) => one.name === name);
  return url === undefined && command === undefined && known !== undefined && known.at !== at;
}

/** A server's address or command; `at` binds it to what the person saw. */
type ToList = Pick<KeptMcp, "name" | "url" | "command" | "at">;

/** With `write`, a program is started with write access and network, as for a call; otherwise it can only read. */
async function listed(
  { name, url, command, at }: ToList,
  headers: Record<string, string>,
  write: boolean,
): Promise<McpTool[]> {
  const program = isProgram({ name, url, command });
  const session = program ? sessionForPrograms() : undefined;
  if (program && !session)
    throw new Error(
      "A program is started in the sandbox of a session, and there is none yet. Start a session first.",
    );
  const more = session && { sandboxId: session.sandboxId, ...(write ? { write } : {}) };
  const body = JSON.stringify({ name, url, command, at, ...more });
  const answer = await api.send("/mcp/tools", { method: "POST", body, headers });
  return z.parse(McpToolList, await answer.json()).tools;
}

/** Asks the server for its tools before anything is kept. Every tool is off at first. `write`: see `lookAgain`. */
export async function addMcp(place: ToList, token: string, write = false): Promise<void> {
  mustBeFree(place.name);
  const header: Record<string, string> =
    token === "" ? {} : { "x-mcp-tokens": JSON.stringify({ [place.name]: token }) };
  const tools = await listed(place, header, write);
  // A second tap may have added the server while the answer was awaited.
  mustBeFree(place.name);
  if (token !== "") await tokens.keep(sealedFor(place), token);
  await keep([...mcpServers.value, { ...place, tools: tools.map((tool) => ({ ...tool, use: "off" })) }]);
}

function mustBeFree(wanted: string): void {
  if (mcpServers.value.some(({ name }) => name === wanted))
    throw new HandrailError("invalid_request", `There is already a server ${wanted}. Choose another name.`);
}

export async function removeMcp(server: KeptMcp): Promise<void> {
  await tokens.drop(sealedFor(server));
  await keep(mcpServers.value.filter(({ name }) => name !== server.name));
}

/**
 * Reads the server's current tools. A changed tool is marked, and it is off until the person has seen both texts. With
 * `write`, a program is started as for its calls, with write access and network.
 */
export async function lookAgain(asked: KeptMcp, write = false): Promise<void> {
  const now = await listed(asked, await tokenHeader(tokens, [asked]), write);
  // Read the server again: the person may have decided about a tool while the answer was awaited.
  const server = mcpServers.value.find(
    ({ name, url, command }) => name === asked.name && url === asked.url && command === asked.command,
  );
  if (!server) return;
  const known = new Set(server.tools.map(({ name }) => name));
  const fresh = now.filter(({ name }) => !known.has(name)).map((tool) => ({ ...tool, use: "off" as const }));
  const tools = server.tools.map(({ now: _, ...tool }) => {
    const found = now.find(({ name }) => name === tool.name);
    return found && sameTool(found, tool) ? { ...tool, ...formOf(found) } : { ...tool, now: found ?? null };
  });
  // Drop removed tools that were never allowed: the person need not hear of them.
  const left = tools.filter((tool) => !("now" in tool) || tool.now !== null || tool.use !== "off");
  await keepTools(server, [...left, ...fresh]);
}

/**
 * Returns whether the text for the model is the same; keys may come in another order. For a program's tool, hidden
 * parts count as well.
 */
function sameTool(one: McpTool, other: McpTool): boolean {
  const known = one.form !== undefined && other.form !== undefined;
  return words(one) === words(other) && !(known && one.form !== other.form);
}

/** Tools stored by earlier versions have no digest. */
function formOf({ form }: McpTool): Pick<McpTool, "form"> {
  return form === undefined ? {} : { form };
}

function words({ name, description, inputSchema, readOnly = false }: McpTool): string {
  return JSON.stringify([name, description, inputSchema, readOnly], (_, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
}

export function useTool(server: KeptMcp, name: string, use: McpUse): Promise<void> {
  return keepTools(
    server,
    server.tools.map((tool) => (tool.name === name ? { ...tool, use } : tool)),
  );
}

export function useAll(server: KeptMcp, use: McpUse): Promise<void> {
  return keepTools(
    server,
    server.tools.map((tool) => ("now" in tool ? tool : { ...tool, use })),
  );
}

/** The person has seen both texts, so the new one counts from now on. */
export function takeNew(server: KeptMcp, { name, now }: KeptTool): Promise<void> {
  return keepTools(
    server,
    server.tools.flatMap((tool) =>
      tool.name !== name ? [tool] : now ? [{ ...now, use: "asked" as const }] : [],
    ),
  );
}

/** The person has seen the server's new place. Its allowed tools ask again before each call. */
export async function takeNewPlace(server: KeptMcp): Promise<void> {
  const at = mcpOfServer.value.find(({ name }) => name === server.name)?.at;
  const tools = server.tools.map((tool) =>
    tool.use === "allowed" ? { ...tool, use: "asked" as const } : tool,
  );
  await keep(mcpServers.value.map((one) => (one.name === server.name ? { ...one, at, tools } : one)));
}

function keepTools(server: KeptMcp, tools: KeptTool[]): Promise<void> {
  return keep(mcpServers.value.map((one) => (one.name === server.name ? { ...one, tools } : one)));
}

async function keep(servers: readonly KeptMcp[]): Promise<void> {
  mcpServers.value = servers;
  await kv.write([[storedAs, servers]]);
  const posted = servers.flatMap(({ tools, ...place }) => {
    const used = tools.filter((tool) => tool.use !== "off" && !("now" in tool));
    return used.length === 0 ? [] : [{ ...place, tools: used }];
  });
  await changeSettings({ mcp: posted.length === 0 ? undefined : posted });
}
