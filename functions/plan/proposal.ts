// A plan is put before the person for review, or run where the answers said so.
import type { AssistantMessage, Message } from "../../shared/message.ts";
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import { planDifference, renderLedger } from "../../shared/plan/ledger.ts";
import { looksLikePlan } from "../../shared/plan/proposal-text.ts";
import { planMessageId } from "../context/plan-view.ts";
import type { ToolTurn } from "../tools/tool-turn.ts";
import { installText } from "./installing.ts";
import { modeSwitchDrafts } from "./mode-switch-drafts.ts";

/** Whether a text that ends planning proposes a plan. A text that reads as a plan is installed as one. */
export async function textStopProposes(turn: ToolTurn, message: AssistantMessage): Promise<boolean> {
  const { plan, history } = turn.state;
  if (isActivePlan(plan)) {
    // After "Answer and run", a stop means that the answers are worked in, whether or not they changed the plan.
    if (turn.state.run !== null) return true;
    if (plan.status !== "draft") return false;
    // A mere answer does not propose a rejected plan again, unless the input asked for a plan. A new text may replace
    // a plan that was itself a text.
    if (turn.env.request.input.type === "replan" || !wasRejected(history, plan.hash)) return true;
    if (!wasText(history)) return false;
  }
  if (!looksLikePlan(message.content)) return false;
  await installText(turn, message.content, message.id, message.createdAt);
  return true;
}

/** Whether the person rejected exactly this version after it was last installed. */
function wasRejected(history: readonly Message[], hash: string): boolean {
  const last = history.findLast((message) => message.role === "plan" || "rejects" in message);
  return last?.role === "user" && last.rejects === hash;
}

/** Whether the newest plan was installed from a text that the model ended with. */
function wasText(history: readonly Message[]): boolean {
  const newest = history.findLast(({ role }) => role === "plan");
  return history.some(({ role, id }) => role === "assistant" && planMessageId(id) === newest?.id);
}

/** Emits the ledger of the answers in this turn, once, before what follows from them. */
export function showLedger(turn: ToolTurn): void {
  const { ledger } = turn.state;
  if (!ledger) return;
  turn.state.ledger = null;
  const updates = planDifference(ledger.before, turn.state.plan);
  turn.emit({
    event: "ledger",
    data: { decisions: ledger.decisions, updates, text: renderLedger(ledger.decisions, updates) },
  });
}

/** Proposes the plan in its present version. */
export function propose(turn: ToolTurn): void {
  showLedger(turn);
  if (!turn.state.plan) return;
  turn.emit({ event: "plan", data: { plan: { ...turn.state.plan, status: "proposed" } } });
  turn.emit({
    event: "proposal",
    data: { planVersion: turn.state.plan.version, planHash: turn.state.plan.hash },
  });
}

/** "Answer and run": the plan that was patched goes into execution in the same turn. */
export function startRun(turn: ToolTurn, to: "normal" | "auto", at: number): void {
  propose(turn);
  if (!turn.state.plan) return;
  turn.emit({ event: "plan", data: { plan: { ...turn.state.plan, status: "executing" } } });
  const turnId = turn.env.request.turnId;
  for (const draft of modeSwitchDrafts({
    id: `${turnId}.run.switch`,
    at,
    from: turn.state.mode,
    to,
    reason: "approved with the answers",
    plan: turn.state.plan,
    approved: true,
    readOnlyTools: turn.env.request.options.readOnlyTools,
    instruction: undefined,
  })) {
    turn.emit(draft);
  }
  turn.emit({
    event: "message",
    data: {
      message: {
        id: `${turnId}.run.user`,
        role: "user",
        content: "Approved. Go ahead.",
        createdAt: at,
        mode: to,
      },
    },
  });
  turn.state.run = null;
}
