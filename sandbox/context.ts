// What the parts of one running server share: options, clock, what the machine can do, what runs now.

import { join } from "node:path";
import type { Network } from "../shared/network.ts";
import type { Redactor } from "../shared/redact/redactor.ts";
import type { Jail } from "./jail/jailed-process.ts";
import type { HostRule } from "./network/host-rules.ts";
import type { Networks } from "./network/networks.ts";
import type { Registry } from "./registry.ts";
import type { StateBudget } from "./state-budget.ts";

export interface ServerOptions {
  token: string;
  /** Folder that is served; undefined = every sandbox without a source gets a fresh copy of the sample project. */
  workspace: string | undefined;
  state: string;
  port: number;
  host: string;
  /** Network of sandboxes that name none. */
  network: Network;
  /** Hosts that commands may reach beside the registries, as rules; see network/host-rules.ts. */
  networkHosts: readonly HostRule[];
  /** false = repositories come from public addresses only. */
  privateSources: boolean;
  /** Folders that the jail shows beside the toolchains on the PATH; "none" = not even those. */
  tools: readonly string[] | "none";
  /** Memory that the processes of one command may take together. */
  commandBytes: number;
  /** What one sandbox may write to the disk; 0 = no end. */
  diskQuotaBytes: number;
  /** What the state folder may take on the disk, workspaces aside; 0 = no end. */
  stateBytes?: number;
  /** How often snapshots are packed while nothing runs. */
  packEveryMs?: number;
}

export interface ServerContext {
  options: ServerOptions;
  registry: Registry;
  /** Where commands run, where one was seen to work. */
  jail: Jail | undefined;
  networks: Networks;
  budget: StateBudget;
  /** Redacts secrets in everything that is recorded or sent. */
  redactor: Redactor;
  /** Path of ripgrep, if it is present. */
  rg: string | undefined;
  now(): number;
  newId(): string;
  log(entry: Record<string, string | number | boolean | undefined>): void;
  /** Calls on their way, so that a stop of the server can end and record them. */
  running: Set<Promise<unknown>>;
  /** Aborted when the server shuts down. */
  shutdown: AbortSignal;
}

/** Where uploads are kept until they are complete. */
export function uploadsIn(state: string): string {
  return join(state, "uploads");
}

/** `work`, held in `groups` while it is on its way, so that whoever ends something can wait for it. */
export function tracked<T>(work: Promise<T>, groups: readonly Set<Promise<unknown>>[]): Promise<T> {
  for (const group of groups) group.add(work);
  return work.finally(() => {
    for (const group of groups) group.delete(work);
  });
}
