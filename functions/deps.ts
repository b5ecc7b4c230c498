// Everything that a turn needs besides its request, provided from outside. Its only state is `memory`, which
// may be lost.

import type { SecondOpinion } from "../shared/second-opinion.ts";
import type { ForgeSettings } from "./forge/forge-settings.ts";
import type { EdgeHost } from "./host.ts";
import type { UnattendedBudget } from "./limits.ts";
import type { LiveTurns } from "./live/live-turns.ts";
import type { Metrics } from "./metrics.ts";
import type { ReadBody } from "./model/body-reader.ts";
import type { KeyCheck } from "./model/key-check.ts";
import type { Provider } from "./model/provider.ts";
import type { ToolSupport } from "./model/tool-support.ts";
import type { NotifySettings } from "./notify/push-settings.ts";
import type { RateLimiters } from "./rate-limiter.ts";
import type { IdentityProxy } from "./routes/identity-proxy.ts";
import type { SandboxClient } from "./sandbox/client.ts";
import type { TurnKeeper } from "./turn-keeper.ts";

/** State of one process, which may be lost; the permanent copy is on the phone or in the sandbox. */
export interface Memory {
  liveTurns: LiveTurns;
  /** Which models accept native tool calls. */
  toolSupport: ToolSupport;
  /** Whether keys were accepted, by provider. */
  keyChecks: Map<string, KeyCheck>;
  /**
   * The newest second opinions, by a hash of the request, including those in progress if requests share memory. Absent
   * = none yet.
   */
  opinions?: Map<string, SecondOpinion | Promise<SecondOpinion>>;
  metrics: Metrics;
  /** Absent = no limits. */
  rateLimiters?: RateLimiters;
}

export interface Deps {
  fetch: typeof fetch;
  /** How to read the answers of models; absent = as they arrive. */
  readBody?: ReadBody;
  /** Milliseconds since the epoch, for times that are stored or shown. This clock may be changed at any time. */
  now(): number;
  /** Milliseconds of a monotonic clock, for durations. */
  elapsed(): number;
  /** A new random id, [A-Za-z0-9_-]. */
  newId(): string;
  /** Bearer token of /api, at least 32 characters. */
  token: string;
  /** Our own tokens and the providers' keys, which must not appear in anything that is stored or sent. */
  secrets: readonly string[];
  /** Further origins that may call /api, besides the app's own. */
  origins: readonly string[];
  /** Host names that /api accepts besides loopback and IP addresses; absent = the platform has checked the name. */
  hosts?: readonly string[];
  /** Absent if there is none. */
  identityProxy?: IdentityProxy;
  providers: readonly Provider[];
  sandbox: SandboxClient;
  /**
   * Puts idle guests to sleep and removes leftovers. Used on platforms that call it at intervals, because they keep no
   * timers.
   */
  tendGuests?: () => Promise<void>;
  memory: Memory;
  host: EdgeHost;
  /** The limit of one turn's cost in US dollars; absent = only its client's limit applies. */
  spendLimit?: number;
  /** The limits of a turn that no one watches; absent = only its client continues an interrupted turn. */
  unattended?: UnattendedBudget;
  /** Absent = a turn that this process must leave waits for its client. */
  keeper?: TurnKeeper;
  /** How to notify the person whose turn ended while no one watched it. */
  notify: NotifySettings;
  /** Forges in addition to the public ones; they are validated at their first use. */
  forges: ForgeSettings;
  /** HANDRAIL_MCP; parsed when a turn or a request needs it. */
  mcp?: string | undefined;
  version: string;
  /** The workspace of a sandbox without a source. */
  workspace: { kind: "folder" | "sample"; name: string };
  /** true = requests are logged too, not only turns and errors. */
  logsRequests: boolean;
  /** Writes one structured line, which never contains content. */
  log(entry: Record<string, string | number | boolean | undefined>): void;
}
