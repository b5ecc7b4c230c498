// A sandbox result as the outcome of the call that asked for it.
import type { CallResult, OpName } from "../../shared/sandbox.ts";
import type { Outcome, PendingCall, Waits } from "../tools/prepared.ts";
import { resultText } from "../tools/result-text.ts";
import { permission } from "./gate.ts";

const changing: ReadonlySet<OpName> = new Set<OpName>(["exec", "change", "restore"]);

/**
 * What the model reads; or, where nobody can know whether a change happened, the question to the person.
 * `checkpoint`: the command, where the call itself names none.
 */
export function sandboxOutcome(
  pending: PendingCall,
  op: OpName,
  result: CallResult | undefined,
  checkpoint?: string,
): Outcome | Waits {
  if (!result) return { ok: false, text: "error: the sandbox gave no result" };
  if (result.error?.code === "outcome_unknown" && changing.has(op)) {
    const output = result.error.details?.output;
    return permission(pending, {
      risk: "outcome_unknown",
      why: "The sandbox server ended while this ran: it may have run, in part or whole.",
      ...(typeof output === "string" ? { output } : {}),
      ...(checkpoint === undefined ? {} : { commands: [checkpoint] }),
    });
  }
  return { ...resultText(op, result), at: result.at };
}
