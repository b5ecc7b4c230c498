// The network for one command if the jail has none: the person is asked before a command of a kind that needs it.

import { asCode } from "../../shared/as-code.ts";
import type { Grant } from "../../shared/grant.ts";
import type { Mode } from "../../shared/mode.ts";
import { commandRisks, networkNeed, riskToAsk } from "../command-risk/command-risk.ts";
import type { AskedRisk } from "./permission.ts";
import type { PendingCall, SandboxCall } from "./prepared.ts";
import type { ToolTurn } from "./tool-turn.ts";

/** The person does not want to be asked in this session. */
const never = "never";

export interface NetworkGate {
  /** Why the person is asked; undefined = they are not. */
  why: string | undefined;
  /** Hosts besides the registries. The sandbox gets them with the call once the person allowed them. */
  hosts: string[] | undefined;
}

const closed: NetworkGate = { why: undefined, hosts: undefined };

/** Whether the command's hosts were allowed for the session, which includes the network. */
function isGranted(command: string, cwd: string, mode: Mode, grants: readonly Grant[]): boolean {
  const reaches = commandRisks(command, cwd).some(({ risk }) => risk === "remote");
  return reaches && riskToAsk(command, mode, grants, cwd, false) === undefined;
}

/** Allowing the network for the session covers every command that needs it. */
const everyNetwork = { risk: "network", program: "*", subcommand: "network" } as const;

/** The facts on which the decision depends. */
interface GateTurn {
  env: Pick<ToolTurn["env"], "network" | "grants">;
  state: Pick<ToolTurn["state"], "mode">;
}

/** The decision for a sandbox call; closed unless it is a command. */
export function networkGate(
  turn: GateTurn,
  pending: Pick<PendingCall, "permitted">,
  { op, args }: SandboxCall,
): NetworkGate {
  const { command, cwd } = args;
  if (op !== "exec" || typeof command !== "string") return closed;
  return commandNetwork(turn, pending, command, typeof cwd === "string" ? cwd : "");
}

/** The network that one command needs. `cwd`: where it runs, relative to the workspace. */
export function commandNetwork(
  { env, state }: GateTurn,
  { permitted }: Pick<PendingCall, "permitted">,
  command: string,
  cwd = "",
): NetworkGate {
  if (env.network !== "none" || state.mode === "plan") return closed;
  const need = networkNeed(command);
  if (!need) return closed;
  const decided = env.grants.filter(({ risk }) => risk === "network");
  // With `never`, the card did not mention the network, so allowing the command did not allow the network.
  if (decided.some(({ program }) => program === never)) return closed;
  if (permitted || decided.length > 0 || isGranted(command, cwd, state.mode, env.grants))
    return { why: undefined, hosts: need.hosts };
  const named = need.hosts.length === 0 ? "" : `, and ${need.hosts.map(asCode).join(", ")}`;
  return {
    why: `${need.what} needs the network, which commands do not have here. Allowed, it reaches package registries and the hosts of the repository's remotes${named}.`,
    hosts: undefined,
  };
}

/** What the person is asked; empty if `gate` does not ask. */
export function networkRisk({ why }: NetworkGate, command: string): AskedRisk[] {
  return why === undefined ? [] : [{ ...everyNetwork, why, command }];
}
