// Permission gates: which calls wait for the person, and what they are told.
import type { Risk } from "../../shared/event.ts";
import { grantsIn, riskToAsk } from "../tools/permissions.ts";
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
  const granted = grantsIn(state.history);
  const found = commands.flatMap((command) => {
    const asked = riskToAsk(command, state.mode, granted);
    if (!asked) return [];
    return [{ risk: asked.risk, why: `${named ? `The checkpoint \`${command}\`: ` : ""}${asked.why}` }];
  });
  const worst = found.find(({ risk }) => risk === "remote") ?? found[0];
  return worst && permission(pending, { risk: worst.risk, why: found.map(({ why }) => why).join("\n") });
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
