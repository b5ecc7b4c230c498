// Permission gates: which calls wait for the person, and what they are told.
import type { Risk } from "../../shared/event.ts";
import { grantsIn, riskToAsk } from "../tools/permissions.ts";
import type { PendingCall, Waits } from "./prepared.ts";
import type { TurnState } from "./turn-state.ts";

/** The permission that `command` needs in this mode, if it has not been given. `what`: named before the reason. */
export function gate(state: TurnState, pending: PendingCall, command: string, what = ""): Waits | undefined {
  if (pending.permitted) return undefined;
  const found = riskToAsk(command, state.mode, grantsIn(state.history));
  return found ? permission(pending, { risk: found.risk, why: `${what}${found.why}` }) : undefined;
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
