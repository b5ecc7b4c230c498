// One MCP server over streamable HTTP. The official SDK contains two validators and four transports, far more than a
// worker should load, so only the protocol is implemented here:
// https://modelcontextprotocol.io/specification/2025-06-18/basic/lifecycle, …/basic/transports and …/server/tools.
import { isRecord } from "../../shared/is-record.ts";
import { McpFailure, SessionForgotten } from "./failure.ts";
import { readAnswer } from "./json-rpc.ts";
import { mcpLimits } from "./limits.ts";
import { mayHaveRun, offered, spoken } from "./revisions.ts";

export interface HttpServerAccess {
  url: URL;
  /** The header with the person's token. */
  header?: readonly [name: string, value: string] | undefined;
  /** Must not follow redirects. */
  fetch: typeof fetch;
  /** Aborts every request. */
  signal: AbortSignal;
  callMs: number;
  /** The version of this app. */
  version: string;
}

export class HttpServer {
  readonly #access: HttpServerAccess;
  #session: string | undefined;
  #revision: string | undefined;
  #requests = 0;
  /** The name that the server gives itself. */
  title = "";

  constructor(access: HttpServerAccess) {
    this.#access = access;
  }

  /** Initializes the connection. Throws McpFailure. */
  async open(): Promise<void> {
    this.#session = undefined;
    this.#revision = undefined;
    const clientInfo = { name: "Handrail", version: this.#access.version };
    const said = await this.#ask("initialize", { protocolVersion: offered, capabilities: {}, clientInfo });
    if (!isRecord(said) || !spoken.has(said.protocolVersion))
      throw new McpFailure("speaks a revision of MCP that is not known here.");
    this.#revision = String(said.protocolVersion);
    const { serverInfo } = said;
    this.title = isRecord(serverInfo) && typeof serverInfo.name === "string" ? serverInfo.name : "";
    await this.#within(mcpLimits.helloMs, false, async (limit) => {
      const heard = await this.#post({ jsonrpc: "2.0", method: "notifications/initialized" }, limit);
      await heard.body?.cancel();
    });
  }

  /** The server's list of its tools, unchecked. Throws McpFailure. */
  async tools(): Promise<unknown[]> {
    const found: unknown[] = [];
    let cursor: unknown;
    for (let page = 0; page < mcpLimits.pages; page += 1) {
      const said = await this.#ask("tools/list", typeof cursor === "string" ? { cursor } : {});
      if (!isRecord(said) || !Array.isArray(said.tools))
        throw new McpFailure("answered with something that is not a list of tools.");
      found.push(...said.tools);
      cursor = said.nextCursor;
      if (typeof cursor !== "string" || cursor === "" || found.length > mcpLimits.tools) return found;
    }
    return found;
  }

  /** Calls a tool and returns the unchecked result. Throws McpFailure, which says whether the call may have run. */
  async call(name: string, args: unknown): Promise<unknown> {
    return this.#ask("tools/call", { name, arguments: args }, this.#access.callMs);
  }

  /** Waits `ms` for the answer. A call that was sent and not answered may have run. */
  async #ask(method: string, params: object, ms: number = mcpLimits.helloMs): Promise<unknown> {
    this.#requests += 1;
    const id = `handrail-${this.#requests}`;
    const answer = await this.#within(ms, method === "tools/call", async (limit) => {
      const response = await this.#post({ jsonrpc: "2.0", id, method, params }, limit);
      const session = response.headers.get("mcp-session-id");
      if (session !== null && method === "initialize") this.#session = session;
      return readAnswer(response, id);
    });
    if (answer.error)
      throw new McpFailure(
        "refused it.",
        method === "tools/call" && mayHaveRun(answer.error.code),
        answer.error.message.slice(0, 4_000),
      );
    return answer.result;
  }

  /** Runs `work` for at most `ms`. Any error in it becomes an McpFailure. */
  async #within<T>(ms: number, isCall: boolean, work: (limit: AbortSignal) => Promise<T>): Promise<T> {
    const limit = AbortSignal.timeout(ms);
    try {
      return await work(limit);
    } catch (error) {
      if (error instanceof SessionForgotten) throw error;
      if (error instanceof McpFailure) throw new McpFailure(error.message, isCall && error.mayHaveRun);
      throw new McpFailure(
        limit.aborted
          ? `did not answer within ${ms / 1_000} seconds.`
          : "could not be reached, or the connection broke.",
        isCall,
      );
    }
  }

  async #post(body: object, limit: AbortSignal): Promise<Response> {
    const { url, header, fetch, signal } = this.#access;
    const headers = new Headers({
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "user-agent": "Handrail",
      ...(this.#session === undefined ? {} : { "mcp-session-id": this.#session }),
      ...(this.#revision === undefined ? {} : { "mcp-protocol-version": this.#revision }),
    });
    if (header) headers.set(...header);
    const response = await fetch(url, {
      method: "POST",
      body: JSON.stringify(body),
      headers,
      redirect: "manual",
      signal: AbortSignal.any([signal, limit]),
    });
    if (response.ok) return response;
    await response.body?.cancel();
    if (response.status === 404 && this.#session !== undefined)
      throw new SessionForgotten("has forgotten the session. Try again.");
    // A proxy may answer with this status although the server has received the request.
    const tried = response.status >= 500 || response.status === 408;
    throw new McpFailure(refusal(response), tried);
  }
}

/** The text of such an answer is not passed on, because it does not answer the request. */
function refusal({ status, headers }: Response): string {
  if (status >= 300 && status < 400) {
    const to = headers.get("location");
    return `redirects to ${to === null ? "another address" : URL.canParse(to) ? new URL(to).origin : "another path"}. Redirects are not followed: give that address itself.`;
  }
  if (status === 401 || status === 403)
    return headers.has("www-authenticate")
      ? "does not take this token, or none was given. It may want a sign-in (OAuth), which is not done here: make a token there."
      : "does not take this token, or none was given.";
  if (status === 404 || status === 405) return "has no MCP server at this address (streamable HTTP).";
  return `answered ${status}.`;
}
