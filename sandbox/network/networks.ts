// Chooses the network of a command according to its sandbox's setting, the abilities of this machine, and
// what the person allowed.
import type { NetworkKinds } from "../../shared/network.ts";
import type { Access } from "../../shared/sandbox.ts";
import type { Jail } from "../jail/jailed-process.ts";
import type { Sandbox } from "../sandbox.ts";
import { rulesOf, takeRules } from "./allowed-hosts.ts";
import { type CommandNetwork, noNetwork, proxyNetwork } from "./command-network.ts";
import type { HostRule } from "./host-rules.ts";
import { takeOpened } from "./opened.ts";
import type { Reach } from "./reach.ts";
import { type Tap, tapNetwork } from "./tap-network.ts";

/** The parts that the server provides for the networks of its commands. */
export interface Networks {
  /** Hosts that the server's operator adds to the registries. */
  hosts: readonly HostRule[];
  reach: Reach;
  /** A program that gives a jail its own network, if one works here. */
  tap: Tap | undefined;
}

/**
 * `named`: set if the person gave this command the network: hosts that its command line names, which it may
 * reach in addition to the registries. The caller must end the network, however the command ends. Read-only
 * commands have no network.
 */
export async function networkFor(
  { jail, networks, newId }: { jail: Jail; networks: Networks; newId(): string },
  sandbox: Sandbox,
  { access, command, named }: { access: Access; command: string; named: readonly string[] | undefined },
): Promise<CommandNetwork> {
  const { network } = sandbox.record;
  if (access === "readonly") return noNetwork;
  const opened = network === "none" && (named !== undefined || (await takeOpened(sandbox, command)));
  if (network === "none" && !opened) return noNetwork;
  const { state } = jail;
  const { reach, tap } = networks;
  if (network === "full" && tap) return tapNetwork(tap, state);
  const rules =
    network === "full"
      ? undefined
      : [...(await takeRules(sandbox, networks.hosts)), ...rulesOf(opened ? (named ?? []) : [])];
  return proxyNetwork({ state, id: newId(), reach }, { rules });
}

/** How each setting is implemented on this machine, for clients and for the log at the start. */
export function networkKinds(jail: Jail | undefined, { tap }: Networks): NetworkKinds {
  if (!jail) return { registries: "machine", full: "machine" };
  return { registries: "proxy", full: tap ? "namespace" : "proxy" };
}
