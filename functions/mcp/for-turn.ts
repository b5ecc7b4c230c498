// What a turn needs of the MCP servers that it is posted with. Loaded if there are any.
import * as z from "zod/mini";
import type { TurnRequest } from "../../shared/turn.ts";
import type { Deps } from "../deps.ts";
import { addressSecrets, holdsSecret } from "./secrets.ts";
import {
  commandOf,
  hasMoved,
  httpServer,
  postedServers,
  readTokens,
  redactFor,
  secretValues,
  shownPlace,
  whereIs,
} from "./server-list.ts";
import { TurnTools } from "./turn-tools.ts";

export interface BroughtServers {
  /** Secrets that nothing stored or sent may contain. */
  secrets: string[];
  tools(stop: AbortSignal, fetch: typeof globalThis.fetch): Promise<TurnTools>;
}

/** `header`: `x-mcp-tokens` of the request. Throws `invalid_request` before anything is claimed. */
export function forTurn(deps: Deps, request: TurnRequest, header: string | undefined): BroughtServers {
  const servers = postedServers(request);
  const tokens = readTokens(header);
  return {
    secrets: secretValues(deps, tokens, servers),
    tools: (stop, fetch) =>
      TurnTools.of(servers, {
        connect: (server) => httpServer(deps, server, { tokens, fetch, signal: stop }),
        redactFor: (server) => redactFor(deps, server, tokens),
        shownPlace: (server) => shownPlace(deps, server),
        whereIs: (server) => whereIs(deps, server),
        hasMoved: (server) => hasMoved(deps, server),
        commandOf: (server) => commandOf(deps, server),
        version: deps.version,
        stop,
        now: deps.now,
      }),
  };
}

/** Longer addresses are refused together with the turn, so they need not be searched before. */
const Text = z.optional(z.string().check(z.maxLength(2_000)));
const Place = z.object({ url: Text, command: Text });

/** Whether `servers`, as a turn is posted with them, have an address or a command with a key. */
export function holdKeys(servers: readonly unknown[]): boolean {
  return servers.some((server) => {
    const { url = "", command = "" } = z.safeParse(Place, server).data ?? {};
    return addressSecrets(url).length > 0 || holdsSecret(command);
  });
}
