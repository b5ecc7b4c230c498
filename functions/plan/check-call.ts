// The commands of a plan as calls of the sandbox: what the person has to allow before they run, and what they may reach.
import { checkLimitMs } from "../../shared/plan/check-time.ts";
import type { Checkpoint } from "../../shared/plan/plan-file.ts";
import { commandNetwork, networkRisk } from "../calls/network-gate.ts";
import { gate } from "../calls/permission.ts";
import type { KeyedCall, PendingCall, Waits } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { risksToAsk } from "../command-risk/permissions.ts";
import { asRun } from "./piped-check.ts";

type AskingTurn = Pick<ToolTurn, "env" | "state">;

/** Shown under the report being checked. The network is open to a command that needs it if the person allowed it. */
export function checkCall(
  turn: AskingTurn,
  pending: PendingCall,
  { key, check: { command, timeoutMs } }: { key: string; check: Checkpoint },
): KeyedCall {
  const { hosts } = commandNetwork(turn, pending, command);
  const args = {
    command: asRun(command),
    timeoutMs: checkLimitMs({ timeoutMs }),
    ...(hosts ? { network: hosts } : {}),
  };
  return { key, op: "exec", args, toolCallId: pending.call.id };
}

/** The one question for all checks that a report would run; undefined where none of them needs the person's word. */
export function gateChecks(
  turn: AskingTurn,
  pending: PendingCall,
  commands: readonly string[],
): Waits | undefined {
  const network = commands.flatMap((command) => networkRisk(commandNetwork(turn, pending, command), command));
  return gate(turn, pending, commands, "checkpoints", network);
}

/** Those of `commands` that need the person's word, where nobody is asked. */
export function unaskedChecks(turn: AskingTurn, commands: readonly string[]): ReadonlySet<string> {
  const { env, state } = turn;
  const risks = risksToAsk(commands, state.mode, env.grants).map(({ command }) => command);
  const offline = commands.filter(
    (command) => commandNetwork(turn, { permitted: false }, command).why !== undefined,
  );
  return new Set([...risks, ...offline]);
}
