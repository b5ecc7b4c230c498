// A plan is put before the person for review, or run where the answers said so.
import type { AssistantMessage, Message } from "../../shared/message.ts";
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import { planDifference, renderLedger } from "../../shared/plan/ledger.ts";
import { looksLikePlan } from "../../shared/plan/proposal-text.ts";
import { planMessageId } from "../context/plan-view.ts";
import { emit, type TurnState } from "../turn/state.ts";
import { installText } from "./installing.ts";
import { modeSwitchDrafts } from "./mode-switch-drafts.ts";

/** Whether a text that ends planning proposes a plan; installs the text as the plan where it is one. */
export async function textStopProposes(state: TurnState, message: AssistantMessage): Promise<boolean> {
  const { plan, request, history } = state;
  if (isActivePlan(plan)) {
    // With "Answer and run" a stop says that the answers are worked in, whether they changed the plan or not.
    if (state.run !== null) return true;
    if (plan.status !== "draft") return false;
    // What was rejected is not proposed anew by a mere answer, unless a plan was asked for. A text may take the
    // place of a plan that was one.
    if (request.input.type === "replan" || !wasRejected(history, plan.hash)) return true;
    if (!wasText(history)) return false;
  }
  if (!looksLikePlan(message.content)) return false;
  await installText(state, message.content, message.id, message.createdAt);
  return true;
}

/** Whether the person rejected just this after it was last installed. */
function wasRejected(history: readonly Message[], hash: string): boolean {
  const last = history.findLast((message) => message.role === "plan" || "rejects" in message);
  return last?.role === "user" && last.rejects === hash;
}

/** Whether the newest plan is a text that the model stopped with. */
function wasText(history: readonly Message[]): boolean {
  const newest = history.findLast(({ role }) => role === "plan");
  return history.some(({ role, id }) => role === "assistant" && planMessageId(id) === newest?.id);
}

/** The decision ledger of the answers in this turn, once, before what follows from them. */
export function showLedger(state: TurnState): void {
  const { ledger } = state;
  if (!ledger) return;
  state.ledger = null;
  const updates = planDifference(ledger.before, state.plan);
  emit(state, {
    event: "ledger",
    data: { decisions: ledger.decisions, updates, text: renderLedger(ledger.decisions, updates) },
  });
}

/** `proposal` for the plan as it stands. */
export function propose(state: TurnState): void {
  showLedger(state);
  if (!state.plan) return;
  emit(state, { event: "plan", data: { plan: { ...state.plan, status: "proposed" } } });
  emit(state, { event: "proposal", data: { planVersion: state.plan.version, planHash: state.plan.hash } });
}

/** "Answer and run": the plan that was patched goes into execution in the same turn. */
export function startRun(state: TurnState, to: "normal" | "auto", at: number): void {
  propose(state);
  if (!state.plan) return;
  emit(state, { event: "plan", data: { plan: { ...state.plan, status: "executing" } } });
  const turnId = state.request.turnId;
  for (const draft of modeSwitchDrafts({
    id: `${turnId}.run.switch`,
    at,
    from: state.mode,
    to,
    reason: "approved with the answers",
    plan: state.plan,
    approved: true,
    readOnlyTools: state.request.options.readOnlyTools,
    instruction: undefined,
  })) {
    emit(state, draft);
  }
  emit(state, {
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
  state.run = null;
}
