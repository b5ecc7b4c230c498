// Shared by the parts of one running server: options, clock, what the machine can do, running calls.

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
  /**
   * The folder that is served; undefined = every sandbox without a source gets a fresh copy of the sample
   * project.
   */
  workspace: string | undefined;
  state: string;
  port: number;
  host: string;
  /** The network of sandboxes that do not choose one. */
  network: Network;
  /** Hosts that commands may reach besides the registries, as rules; see network/host-rules.ts. */
  networkHosts: readonly HostRule[];
  /** false = repositories come from public addresses only. */
  privateSources: boolean;
  /** Folders that the jail shows besides the toolchains on the PATH; "none" = no toolchains either. */
  tools: readonly string[] | "none";
  /** Memory that the processes of one command may take together. */
  commandBytes: number;
  /** Bytes that one sandbox may write to the disk; 0 = no limit. */
  diskQuotaBytes: number;
  /** Bytes that the state folder may take, without workspaces; 0 = no limit. */
  stateBytes?: number;
  /** How often snapshots are packed while the server is idle. */
  packEveryMs?: number;
}

export interface ServerContext {
  options: ServerOptions;
  registry: Registry;
  /** The jail for commands; undefined if none works on this machine. */
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
  /** Calls in progress, so that the server can end and record them when it stops. */
  running: Set<Promise<unknown>>;
  /** Aborted when the server shuts down. */
  shutdown: AbortSignal;
}

/** The folder in which uploads are kept until they are complete. */
export function uploadsIn(state: string): string {
  return join(state, "uploads");
}

/** Keeps `work` in `groups` until it settles, so that a caller who ends something can wait for it. */
export function tracked<T>(work: Promise<T>, groups: readonly Set<Promise<unknown>>[]): Promise<T> {
  for (const group of groups) group.add(work);
  return work.finally(() => {
    for (const group of groups) group.delete(work);
  });
}
