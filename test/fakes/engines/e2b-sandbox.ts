// A sandbox of the fake E2B as its API describes it, and the undocumented behaviour of such a host.
import type { PlayedGuest } from "./played-guest.ts";

/** Undocumented behaviour of the host. */
export interface E2bQuirks {
  /** A request to a port without the traffic token gets 403. This is E2B's usual behaviour. */
  asksForToken: boolean;
  /** How many requests to a port get 502 after each start, as if nothing were listening yet. */
  notReadyFor: number;
  /** A request to a paused sandbox gets 502 instead of resuming it. */
  deafWhilePaused: boolean;
  /** The traffic token changes with each start. */
  newTokens: boolean;
  /** A second creation within a second gets 429. */
  oneCreateASecond: boolean;
  /** How many lists lack a new sandbox. */
  listedAfter: number;
  /** From the second pause on, a sandbox comes back in the state of its first pause. */
  losesLaterWrites: boolean;
  /** A sandbox comes back with its disk only. */
  forgetsMemory: boolean;
  /** The template contains our server, as an edge that cannot install it needs. */
  hasServer: boolean;
  /** The profile and the logout file of the template's shell each print a line. */
  greets: boolean;
  /**
   * The longest run in seconds: longer timeouts are refused, and extensions end there. An hour on the plan
   * Hobby.
   */
  longestRun: number;
}

export interface E2bEntry {
  guest: PlayedGuest;
  state: "running" | "paused";
  startedAt: number;
  endAt: number;
  metadata: Record<string, string>;
  envdToken: string;
  trafficToken: string;
  notReady: number;
  unlisted: number;
}

/** On the plan Pro. */
export const usualQuirks: E2bQuirks = {
  asksForToken: true,
  notReadyFor: 0,
  deafWhilePaused: false,
  newTokens: false,
  oneCreateASecond: false,
  listedAfter: 0,
  losesLaterWrites: false,
  forgetsMemory: false,
  hasServer: false,
  greets: false,
  longestRun: 24 * 3_600,
};

export function started(sandboxID: string, { envdToken, trafficToken }: E2bEntry) {
  return {
    sandboxID,
    templateID: "base",
    clientID: "6532622b",
    envdVersion: "0.6.4",
    envdAccessToken: envdToken,
    trafficAccessToken: trafficToken,
    domain: null,
  };
}

export function described(sandboxID: string, { state, startedAt, endAt, metadata }: E2bEntry) {
  return {
    sandboxID,
    templateID: "base",
    clientID: "6532622b",
    state,
    startedAt: new Date(startedAt).toISOString(),
    endAt: new Date(endAt).toISOString(),
    cpuCount: 2,
    memoryMB: 1024,
    diskSizeMB: 10240,
    envdVersion: "0.6.4",
    metadata,
  };
}
