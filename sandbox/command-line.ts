// Parses the options of the sandbox server. Flags take precedence over the environment. Opens no file but the
// one with the token.
import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { delimiter, resolve } from "node:path";
import { parseArgs } from "node:util";
import { isLoopbackHost } from "../shared/loopback-host.ts";
import type { Network } from "../shared/network.ts";
import type { ServerOptions } from "./context.ts";
import * as limits from "./limits.ts";
import { type HostRule, hostRule } from "./network/host-rules.ts";
import { StartError } from "./server.ts";

export const usage = `Handrail's sandbox server

  node sandbox.mjs [options]

  --workspace DIR     folder to serve; default: a fresh sample project for each sandbox
  --state DIR         journal, versions and snapshots; outside the workspace (default .handrail/state)
  --token TOKEN       at least 32 characters; better as SANDBOX_TOKEN: arguments can be seen
  --token-file FILE   file that holds the token
  --port N            0 = any free one (default 8788)
  --host H            address to bind (default 127.0.0.1)
  --network none|registries|full
                      of commands (default none);
                      registries = package registries and the repository's own host
  --network-hosts H   more hosts for registries: example.com:8443,*.example.com
  --tools DIRS|none   folders that commands see read-only, separated by ":", beside the toolchains on the PATH
  --command-memory N  MiB for the processes of one command together (default 60% of the machine's)
  --disk-quota N      MiB that one sandbox may write; 0 = no end (default 16384)
  --state-budget N    MiB for the state folder without the sandboxes' workspaces; 0 = no end (default 8192)
  --idle-minutes N    minutes without use after which it ends
  --exit-with-parent  end when stdin ends
  --help              this text

As variables: docs/settings.md.
`;

const minTokenChars = 32;

export interface ParsedOptions {
  server: ServerOptions;
  exitWithParent: boolean;
  /** The server ends after this time without use; undefined = never. */
  idleMs: number | undefined;
}

/** Throws StartError with one clear line. */
export function parseOptions(args: string[], env: NodeJS.ProcessEnv): ParsedOptions | "help" {
  const flags = readFlags(args);
  if (flags.help) return "help";
  const token = flags["token-file"]
    ? readToken(flags["token-file"])
    : (flags.token ?? env.SANDBOX_TOKEN ?? "");
  if (token.length < minTokenChars) {
    throw new StartError(
      `The token has ${token.length} characters; give at least ${minTokenChars} in SANDBOX_TOKEN.`,
    );
  }
  const workspace = flags.workspace || env.HANDRAIL_WORKSPACE || undefined;
  const network = flags.network ?? env.HANDRAIL_NETWORK ?? "none";
  if (!isNetwork(network))
    throw new StartError("--network (HANDRAIL_NETWORK) must be none, registries or full.");
  const host = flags.host ?? "127.0.0.1";
  return {
    server: {
      token,
      workspace: workspace === undefined ? undefined : resolve(workspace),
      state: resolve(flags.state || env.HANDRAIL_STATE || ".handrail/state"),
      port: portOf(flags.port ?? env.PORT ?? "8788"),
      host,
      network,
      networkHosts: hostsOf(flags["network-hosts"] ?? env.HANDRAIL_NETWORK_HOSTS ?? ""),
      privateSources: env.HANDRAIL_PRIVATE_SOURCES
        ? env.HANDRAIL_PRIVATE_SOURCES === "1"
        : isLoopbackHost(host),
      commandBytes: memoryOf(flags["command-memory"] ?? env.HANDRAIL_COMMAND_MEMORY ?? ""),
      diskQuotaBytes:
        mebibytesOf("disk-quota", flags["disk-quota"] ?? env.HANDRAIL_DISK_QUOTA ?? "") ??
        limits.diskQuotaBytes,
      stateBytes:
        mebibytesOf("state-budget", flags["state-budget"] ?? env.HANDRAIL_STATE_BUDGET ?? "") ??
        limits.stateBytes,
      tools: toolsOf(flags.tools ?? env.HANDRAIL_TOOLS ?? ""),
    },
    idleMs: minutesOf(flags["idle-minutes"] ?? ""),
    exitWithParent: flags["exit-with-parent"] ?? false,
  };
}

function readFlags(args: string[]) {
  try {
    return parseArgs({
      args,
      strict: true,
      options: {
        workspace: { type: "string" },
        state: { type: "string" },
        token: { type: "string" },
        "token-file": { type: "string" },
        "idle-minutes": { type: "string" },
        port: { type: "string" },
        host: { type: "string" },
        network: { type: "string" },
        "network-hosts": { type: "string" },
        tools: { type: "string" },
        "command-memory": { type: "string" },
        "disk-quota": { type: "string" },
        "state-budget": { type: "string" },
        "exit-with-parent": { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    }).values;
  } catch (error) {
    throw new StartError(`${error instanceof Error ? error.message : "Options not understood"}. See --help.`);
  }
}

function isNetwork(text: string): text is Network {
  return text === "none" || text === "registries" || text === "full";
}

function hostsOf(text: string): HostRule[] {
  return text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((host) => {
      const rule = hostRule(host);
      if (typeof rule === "string")
        throw new StartError(`--network-hosts (HANDRAIL_NETWORK_HOSTS): ${rule}.`);
      return rule;
    });
}

function toolsOf(text: string): string[] | "none" {
  if (text === "none") return "none";
  return text
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => resolve(folder));
}

function memoryOf(text: string): number {
  // 0 means that no container sets a limit:
  // https://nodejs.org/docs/latest-v20.x/api/process.html#processconstrainedmemory
  const machine = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
  if (text === "") return Math.floor(machine * limits.execMemoryShare);
  if (/^[1-9]\d{0,7}$/.test(text)) return Number(text) * 1024 * 1024;
  throw new StartError(`--command-memory ${text} is not a number of MiB.`);
}

/** In bytes; undefined if the option is not given. */
function mebibytesOf(flag: string, text: string): number | undefined {
  if (text === "") return undefined;
  if (/^(0|[1-9]\d{0,8})$/.test(text)) return Number(text) * 1024 * 1024;
  throw new StartError(`--${flag} ${text} is not a number of MiB.`);
}

function readToken(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    throw new StartError(`--token-file ${file} cannot be read.`);
  }
}

/** In milliseconds; undefined if the option is not given. */
function minutesOf(text: string): number | undefined {
  if (text === "") return undefined;
  if (Number(text) > 0) return Number(text) * 60_000;
  throw new StartError(`--idle-minutes ${text} is not a number of minutes.`);
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new StartError(`The port ${text} is not a number from 0 to 65535.`);
}
