// A sandbox result as the outcome of the call that asked for it.
import type { CallResult, OpName } from "../../shared/sandbox.ts";
import type { Outcome, PendingCall, Waits } from "../tools/prepared.ts";
import type { SandboxTool } from "../tools/tool.ts";
import { permission } from "./gate.ts";

const changing: ReadonlySet<OpName> = new Set<OpName>(["exec", "change", "restore"]);

/** What the model reads; or, where nobody can know whether a change happened, the question to the person. */
export function sandboxOutcome(
  pending: PendingCall,
  tool: SandboxTool,
  op: OpName,
  result: CallResult | undefined,
): Outcome | Waits {
  if (!result) return { ok: false, text: "error: the sandbox gave no result" };
  return unknownOutcome(pending, op, result) ?? { ...tool.resultText(result), at: result.at };
}

/**
 * The question to the person where `op` may or may not have changed something.
 * `checkpoint`: the command, where the call itself names none.
 */
export function unknownOutcome(
  pending: PendingCall,
  op: OpName,
  result: CallResult | undefined,
  checkpoint?: string,
): Waits | undefined {
  if (result?.error?.code !== "outcome_unknown" || !changing.has(op)) return undefined;
  const output = result.error.details?.output;
  return permission(pending, {
    risk: "outcome_unknown",
    why: "The sandbox server ended while this ran: it may have run, in part or whole.",
    ...(typeof output === "string" ? { output } : {}),
    ...(checkpoint === undefined ? {} : { commands: [checkpoint] }),
  });
}
