// The permissions that a round needs, known before its first call runs: the person is asked about all of them at once,
// and reads them while what needs none runs.
import * as z from "zod/mini";
import type { DurableDraft } from "../../shared/event.ts";
import type { AssistantMessage } from "../../shared/message.ts";
import { tidyUpdatePlan } from "../../shared/plan/tidy-plan-args.ts";
import { UpdatePlanArgs } from "../../shared/plan/update-plan.ts";
import { pendingCall, type Resumption } from "../calls/open-calls.ts";
import { parseArguments } from "../calls/parse-arguments.ts";
import type { PendingCall, Waits } from "../calls/prepared.ts";
import type { ToolTurn } from "../calls/tool-turn.ts";
import { findTool, offeredTools } from "../tools/tool-index.ts";
import { sandboxGate } from "./prepare-call.ts";

/** Their outcome decides what later calls mean, or whether they run at all. */
const endsAsking: ReadonlySet<string> = new Set(["ask_user", "enter_plan", "exit_plan"]);
/** After a change of the plan nobody knows yet what the next one would change. */
const changesPlan: ReadonlySet<string> = new Set(["set_plan", "update_plan"]);

/** In call order, from the ordinal `from` on. Changes nothing and runs nothing. */
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

/** After such a call the later ones may not run: its check may fail. They are asked about once it has passed. */
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
