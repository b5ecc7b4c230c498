// What the edge is given from outside: everything a turn needs that is not its request. No state of its own.

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

/** Per process and may be lost; the lasting copy is on the phone or in the sandbox. */
export interface Memory {
  liveTurns: LiveTurns;
  /** Which models take native tool calls. */
  toolSupport: ToolSupport;
  /** Whether keys were accepted, by provider. */
  keyChecks: Map<string, KeyCheck>;
  /**
   * The newest second opinions by a hash of what was asked, and those in progress where requests share memory. Absent =
   * none yet.
   */
  opinions?: Map<string, SecondOpinion | Promise<SecondOpinion>>;
  metrics: Metrics;
  /** Absent = no limits. */
  rateLimiters?: RateLimiters;
}

export interface Deps {
  fetch: typeof fetch;
  /** How the answers of models are read; absent = as they come. */
  readBody?: ReadBody;
  /** Milliseconds since the epoch, for what is stored and shown. Somebody may set that clock at any time. */
  now(): number;
  /** Milliseconds of a monotonic clock, for durations. */
  elapsed(): number;
  /** A new random id, [A-Za-z0-9_-]. */
  newId(): string;
  /** Bearer token of /api, at least 32 characters. */
  token: string;
  /** Our own tokens and providers' keys, which nothing that is stored or sent may hold. */
  secrets: readonly string[];
  /** Origins beside the app's own that may call /api. */
  origins: readonly string[];
  /** Host names that /api answers to beside loopback and IP addresses; absent = the platform has checked the name. */
  hosts?: readonly string[];
  /** Absent = there is none. */
  identityProxy?: IdentityProxy;
  providers: readonly Provider[];
  sandbox: SandboxClient;
  /** Puts idle guests to sleep and removes leftovers, where the platform calls at intervals instead of keeping a timer. */
  tendGuests?: () => Promise<void>;
  memory: Memory;
  host: EdgeHost;
  /** US dollars that one turn may cost; absent = as much as its client says. */
  spendLimit?: number;
  /** What a turn may use while nobody watches it; absent = only its client continues an interrupted turn. */
  unattended?: UnattendedBudget;
  /** Absent = a turn that this process has to leave waits for its client. */
  keeper?: TurnKeeper;
  /** How to notify the person whose turn ended while nobody watched. */
  notify: NotifySettings;
  /** Which forges there are beside the public ones: checked when one is asked for. */
  forges: ForgeSettings;
  /** HANDRAIL_MCP: read when a turn or a request needs it. */
  mcp?: string | undefined;
  version: string;
  /** What a sandbox without a source gets. */
  workspace: { kind: "folder" | "sample"; name: string };
  /** true = requests are logged too, not only turns and errors. */
  logsRequests: boolean;
  /** One structured line; never content. */
  log(entry: Record<string, string | number | boolean | undefined>): void;
}
