// Decides what becomes of one call: it is refused, settled by the engine, run in the sandbox, or waits for the person.
// All permissions of a round are collected before its first call runs: the person is asked once, and reads while the
// other calls run.
import * as z from "zod/mini";
import type { DurableDraft } from "../../shared/event.ts";
import { isRecord } from "../../shared/is-record.ts";
import type { AssistantMessage } from "../../shared/message.ts";
import { tidyUpdatePlan } from "../../shared/plan/tidy-plan-args.ts";
import { UpdatePlanArgs } from "../../shared/plan/update-plan.ts";
import type { CallResult, OpName } from "../../shared/sandbox.ts";
import { networkGate, networkRisk } from "../calls/network-gate.ts";
import { pendingCall, type Resumption } from "../calls/open-calls.ts";
import { gate, unknownOutcome } from "../calls/permission.ts";
import {
  failed,
  type Outcome,
  type PendingCall,
  type PreparedCall,
  parseArguments,
  type SandboxCall,
  type Waits,
} from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { editorRisk } from "../command-risk/command-risk.ts";
import { nestedCalls, nestedMessage } from "../inputs/instructions.ts";
import { asMessage } from "../inputs/messages.ts";
import { mending } from "../model/text-calls/text-calls.ts";
import { notOfferedText, offeredTools } from "../tools/offered-tools.ts";
import type { CallMessage, SandboxTool } from "../tools/tool.ts";
import { findTool } from "../tools/tool-index.ts";

/** Never throws because of what a model wrote: that gives a failed outcome. */
export async function prepareCall(
  turn: ToolTurn,
  pending: PendingCall,
  message: CallMessage,
): Promise<PreparedCall> {
  const { name } = pending.call;
  if (pending.denied !== undefined) return failed(pending.denied);
  const { foreign } = turn.env;
  if (foreign?.names.includes(name)) return foreign.prepare(turn, pending);
  const tool = findTool(name);
  if (!tool || !offeredTools(turn.state.mode, turn.env.request.options.readOnlyTools).includes(name))
    return failed(notOfferedText(name, turn.state.mode), !tool);
  const parsed = parseArguments(pending.call.arguments);
  if (!parsed.ok) return failed((await mending()).unparsed(name, pending.call.arguments), true);
  return tool.kind === "engine"
    ? tool.prepare(turn, pending, parsed.value, message)
    : prepareSandboxCall(turn, pending, tool, parsed.value);
}

interface MadeCall {
  tool: SandboxTool;
  /** The arguments as the model wrote them, parsed. */
  value: unknown;
  made: SandboxCall;
}

/**
 * The permission that the call needs and does not have. `more`: what else the sandbox lets it do once it is allowed.
 */
function sandboxGate(
  turn: ToolTurn,
  pending: PendingCall,
  { tool, value, made }: MadeCall,
): { waits: Waits | undefined; more: Record<string, unknown> } {
  // It runs on a throwaway copy, without a network: nothing can be lost, as in plan mode.
  if (made.args.tree !== undefined) return { waits: undefined, more: {} };
  const commands = tool.commands?.(value, turn.state.plan) ?? [];
  const editors = turn.state.mode === "plan" ? undefined : editorRisk(made);
  const network = networkGate(turn, pending, made);
  const command = commands[0] ?? "";
  const more = [...(editors ? [{ ...editors, command }] : []), ...networkRisk(network, command)];
  const cwd = isRecord(made.args) && typeof made.args.cwd === "string" ? made.args.cwd : "";
  return {
    waits: gate(turn, pending, commands, undefined, more, cwd),
    // Only the person's permission sets these: the model's own arguments have no such fields.
    more: {
      ...(editors ? { editors: true } : {}),
      ...(network.hosts ? { network: network.hosts } : {}),
    },
  };
}

async function prepareSandboxCall(
  turn: ToolTurn,
  pending: PendingCall,
  tool: SandboxTool,
  written: unknown,
): Promise<PreparedCall> {
  let value = written;
  let made = tool.toCall(value);
  let said = "";
  if (!made.ok || turn.env.model.edits === "text") {
    const tried = (await mending()).tryAnyway(tool, value, made, turn);
    if (!tried.ok) return failed(tried.fault, true);
    ({ value, made, said } = tried);
  }
  const { op } = made.call;
  const { waits, more } = sandboxGate(turn, pending, { tool, value, made: made.call });
  if (waits) return waits;
  const args = { ...made.call.args, ...more };
  const path = isRecord(value) ? String(value.path ?? "") : "";
  const rules = op === "read" || op === "change" ? nestedCalls(turn.state.history, path, pending.key) : [];
  const prepared: Extract<PreparedCall, { kind: "runs" }> = {
    kind: "runs",
    calls: [{ key: pending.key, op, args }, ...rules],
    alone: false,
    finish: {
      kind: "now",
      outcome: ([result, ...read]) => {
        const outcome = sandboxOutcome(pending, tool, op, result);
        if (outcome.kind === "waits") return outcome;
        outcome.text = said + outcome.text;
        if (read.length === 0) return outcome;
        const common = { id: `${pending.call.id}.rules`.slice(0, 300), mode: turn.state.mode };
        return { ...outcome, after: nestedMessage(turn.state.history, read, common).map(asMessage) };
      },
    },
  };
  return (op === "change" && turn.env.hooks?.around(turn, pending, value, prepared)) || prepared;
}

/** What the model reads of a result; or the question to the person, if nobody can know whether a change happened. */
function sandboxOutcome(
  pending: PendingCall,
  tool: SandboxTool,
  op: OpName,
  result: CallResult | undefined,
): Outcome | Waits {
  if (!result) return { ok: false, text: "error: the sandbox gave no result" };
  return unknownOutcome(pending, op, result) ?? { ...tool.resultText(result), at: result.at };
}

/** The outcome of these tools decides what later calls mean, or whether they run at all. */
const endsAsking: ReadonlySet<string> = new Set(["ask_user", "enter_plan", "exit_plan"]);
/** Until a change of the plan is made, nobody knows what the next one would change. */
const changesPlan: ReadonlySet<string> = new Set(["set_plan", "update_plan"]);

/** The permissions needed from the ordinal `from` on, in call order. Changes nothing and runs nothing. */
export function permissionsAhead(
  turn: ToolTurn,
  message: AssistantMessage,
  from: number,
  taken: { turnId: string; resumes?: Resumption | undefined },
): DurableDraft[] {
  const drafts: DurableDraft[] = [];
  let planKnown = true;
  for (let ordinal = from; ; ordinal += 1) {
    const pending = pendingCall(message, ordinal, taken);
    if (!pending || endsAsking.has(pending.call.name)) return drafts;
    const ofPlan = changesPlan.has(pending.call.name);
    const waits = ofPlan && !planKnown ? undefined : askedAhead(turn, pending);
    if (waits?.reason === "permission") drafts.push(...waits.drafts);
    if (pending.call.name === "update_plan" && reportsStep(pending.call.arguments)) return drafts;
    planKnown &&= !ofPlan;
  }
}

/**
 * Whether the call reports a step. Later calls do not run if the step's check fails, so the person is asked about them
 * once it has passed.
 */
function reportsStep(json: string): boolean {
  const parsed = parseArguments(json);
  const read = z.safeParse(UpdatePlanArgs, tidyUpdatePlan(parsed.ok ? parsed.value : null));
  return read.success && (read.data.steps ?? []).some(({ status }) => status !== undefined);
}

function askedAhead(turn: ToolTurn, pending: PendingCall): Waits | undefined {
  const { name, arguments: json } = pending.call;
  const { foreign } = turn.env;
  if (pending.denied === undefined && foreign?.names.includes(name)) return foreign.asks(turn, pending);
  const tool = findTool(name);
  if (!tool || pending.denied !== undefined) return undefined;
  if (!offeredTools(turn.state.mode, turn.env.request.options.readOnlyTools).includes(name)) return undefined;
  const parsed = parseArguments(json);
  if (!parsed.ok) return undefined;
  if (tool.kind === "engine") return tool.asks?.(turn, pending, parsed.value);
  const made = tool.toCall(parsed.value);
  return made.ok
    ? sandboxGate(turn, pending, { tool, value: parsed.value, made: made.call }).waits
    : undefined;
}
