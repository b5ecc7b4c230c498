// Decides what becomes of one call: refused, settled by the engine, run in the sandbox, or waiting for the person.

import { editorRisk } from "../command-risk/editor-settings.ts";
import { nestedCalls, nestedMessage } from "../inputs/instructions.ts";
import { asMessage } from "../inputs/messages.ts";
import { prepareAskUser } from "../plan/ask-user.ts";
import { type CallContext, prepareExitPlan } from "../plan/exit-plan.ts";
import { prepareGetPlan, prepareSetPlan } from "../plan/set-and-get.ts";
import { prepareUpdatePlan } from "../plan/update-plan.ts";
import { parseArguments, toSandboxCall } from "../tools/arguments.ts";
import { isToolName, offeredTools, refusal } from "../tools/definitions.ts";
import { failed, type PendingCall, type Prepared } from "../tools/prepared.ts";
import { gate } from "./gate.ts";
import { sandboxOutcome } from "./outcome.ts";
import type { TurnState } from "./state.ts";

/** Never throws for what a model wrote: that comes back as a failed outcome. */
export async function prepareCall(
  state: TurnState,
  pending: PendingCall,
  context: CallContext,
): Promise<Prepared> {
  const { name } = pending.call;
  if (!isToolName(name) || !offeredTools(state.mode, state.request.options.readOnlyTools).includes(name)) {
    return failed(refusal(name, state.mode), !isToolName(name));
  }
  const parsed = parseArguments(name, pending.call.arguments);
  if (!parsed.ok) return failed(parsed.problem, true);
  switch (name) {
    case "set_plan":
      return prepareSetPlan(state, pending, parsed.value);
    case "update_plan":
      return prepareUpdatePlan(state, pending, parsed.value);
    case "get_plan":
      return prepareGetPlan(state);
    case "ask_user":
      return prepareAskUser(state, pending, parsed.value);
    case "exit_plan":
      return prepareExitPlan(state, pending, parsed.value, context);
    default:
      return prepareSandboxCall(state, pending, parsed.value);
  }
}

function prepareSandboxCall(state: TurnState, pending: PendingCall, value: unknown): Prepared {
  const made = toSandboxCall(pending.call.name, value);
  if (!made.ok) return failed(made.problem, true);
  const { op } = made.call;
  const commands = op === "exec" ? [String(made.call.args.command)] : [];
  const editors = state.mode === "plan" ? undefined : editorRisk(made.call);
  const more = editors ? [{ ...editors, command: commands[0] ?? "" }] : [];
  const waits = gate(state, pending, commands, undefined, more);
  if (waits) return waits;
  // Nobody but the person brings this about: the model's own arguments have no such field.
  const args = editors ? { ...made.call.args, editors: true } : made.call.args;
  const path = typeof value === "object" && value !== null && "path" in value ? String(value.path) : "";
  const rules = op === "read" || op === "change" ? nestedCalls(state.history, path, pending.key) : [];
  return {
    kind: "runs",
    calls: [{ key: pending.key, op, args }, ...rules],
    alone: false,
    finish: {
      kind: "now",
      outcome: ([result, ...read]) => {
        const outcome = sandboxOutcome(pending, op, result);
        if (outcome.kind === "waits" || read.length === 0) return outcome;
        const common = { id: `${pending.call.id}.rules`.slice(0, 300), mode: state.mode };
        return { ...outcome, after: nestedMessage(state.history, read, common).map(asMessage) };
      },
    },
  };
}
