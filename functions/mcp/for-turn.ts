// Prepares the MCP servers with which a turn is posted. Loaded if there are any.
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
  /** Secrets that must not be in anything stored or sent. */
  secrets: string[];
  tools(stop: AbortSignal, fetch: typeof globalThis.fetch): Promise<TurnTools>;
}

/** `header` is the `x-mcp-tokens` of the request. Throws `invalid_request` before anything is claimed. */
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

/** Longer addresses are refused together with the turn, so they are not searched here. */
const Text = z.optional(z.string().check(z.maxLength(2_000)));
const Place = z.object({ url: Text, command: Text });

/** Whether one of `servers`, as a turn is posted with them, has a key in its address or command. */
export function holdKeys(servers: readonly unknown[]): boolean {
  return servers.some((server) => {
    const { url = "", command = "" } = z.safeParse(Place, server).data ?? {};
    return addressSecrets(url).length > 0 || holdsSecret(command);
  });
}
