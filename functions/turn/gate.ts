// Permission gates: which calls wait for the person, and what they are told.
import type { Risk } from "../../shared/event.ts";
import { type CommandRisk, risksToAsk } from "../command-risk/permissions.ts";
import type { PendingCall, Waits } from "../tools/prepared.ts";
import type { TurnState } from "./state.ts";

/**
 * The permission that `commands` need in this mode, where it has not been given. What was given is what the sandbox's
 * journal says: the posted history grants nothing. One for all of them, since a call
 * is decided once. `named`: each reason says which command it is about.
 * `more`: what else is asked about.
 */
export function gate(
  state: TurnState,
  pending: PendingCall,
  commands: readonly string[],
  named?: "checkpoints",
  more: readonly (CommandRisk & { command: string })[] = [],
): Waits | undefined {
  if (pending.permitted) return undefined;
  const found = [...risksToAsk(commands, state.mode, state.grants), ...more];
  const reasons = found.map(({ command, why }) => (named ? `The checkpoint \`${command}\`: ${why}` : why));
  if (!found[0]) return undefined;
  const { risk, program, subcommand } = found[0];
  const listed = named ? { commands: [...commands] } : {};
  return permission(pending, { risk, why: reasons.join("\n"), program, subcommand, ...listed });
}

/** `program` and `subcommand`: what allowing it for the session would cover. */
interface Asked {
  risk: Risk;
  why: string;
  program?: string;
  subcommand?: string;
  output?: string;
  commands?: string[];
}

/** Leaves the call open and asks the person. */
export function permission(pending: PendingCall, ask: Asked): Waits {
  const { id: toolCallId, name, arguments: json } = pending.call;
  return {
    kind: "waits",
    reason: "permission",
    drafts: [{ event: "permission", data: { toolCallId, name, arguments: json, ...ask } }],
  };
}
