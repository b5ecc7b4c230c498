// Permission gates: which calls wait for the person, and what they are told.
import type { Risk } from "../../shared/event.ts";
import { grantsIn, risksToAsk } from "../command-risk/permissions.ts";
import type { PendingCall, Waits } from "./prepared.ts";
import type { TurnState } from "./turn-state.ts";

/**
 * The permission that `commands` need in this mode, where it has not been given: one for all of them, since a call
 * is decided once. `named`: each reason says which command it is about.
 */
export function gate(
  state: TurnState,
  pending: PendingCall,
  commands: readonly string[],
  named?: "checkpoints",
): Waits | undefined {
  if (pending.permitted) return undefined;
  const found = risksToAsk(commands, state.mode, grantsIn(state.history));
  const reasons = found.map(({ command, why }) => (named ? `The checkpoint \`${command}\`: ${why}` : why));
  return found[0] && permission(pending, { risk: found[0].risk, why: reasons.join("\n") });
}

/** Leaves the call open and asks the person. */
export function permission(pending: PendingCall, ask: { risk: Risk; why: string; output?: string }): Waits {
  const { id: toolCallId, name, arguments: json } = pending.call;
  return {
    kind: "waits",
    reason: "permission",
    drafts: [{ event: "permission", data: { toolCallId, name, arguments: json, ...ask } }],
  };
}
