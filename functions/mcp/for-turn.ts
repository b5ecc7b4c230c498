// What a turn needs of the MCP servers that it is posted with. Loaded where there are any.
import type { TurnRequest } from "../../shared/turn.ts";
import type { Deps } from "../deps.ts";
import {
  commandOf,
  hasMoved,
  httpServer,
  postedServers,
  readTokens,
  tokenValues,
  whereIs,
} from "./server-list.ts";
import { TurnTools } from "./turn-tools.ts";

export interface BroughtServers {
  /** Tokens, which nothing that is stored or sent may hold. */
  secrets: string[];
  tools(stop: AbortSignal, fetch: typeof globalThis.fetch): Promise<TurnTools>;
}

/** `header`: `x-mcp-tokens` of the request. Throws `invalid_request` before anything is claimed. */
export function forTurn(deps: Deps, request: TurnRequest, header: string | undefined): BroughtServers {
  const servers = postedServers(request);
  const tokens = readTokens(header);
  return {
    secrets: tokenValues(deps, tokens),
    tools: (stop, fetch) =>
      TurnTools.of(servers, {
        connect: (server) => httpServer(deps, server, { tokens, fetch, signal: stop }),
        whereIs: (server) => whereIs(deps, server),
        hasMoved: (server) => hasMoved(deps, server),
        commandOf: (server) => commandOf(deps, server),
        version: deps.version,
        stop,
        now: deps.now,
      }),
  };
}
