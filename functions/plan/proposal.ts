// A plan is put before the person for review, or run where the answers said so.
import type { DurableDraft } from "../../shared/event.ts";
import type { AssistantMessage } from "../../shared/message.ts";
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import { planDifference, renderLedger } from "../../shared/plan/ledger.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { looksLikePlan } from "../../shared/plan/proposal-text.ts";
import { proposedText } from "../../shared/plan/written-plan.ts";
import { approvalText } from "../../shared/session/approval-text.ts";
import type { OpenLedger, ToolTurn } from "../calls/tool-turn.ts";
import { wasRejected } from "./history-facts.ts";
import { modeSwitchDrafts } from "./mode-switch-drafts.ts";
import { beforeOf, isFresh, noStepsText, submitText } from "./submission.ts";

/** Whether a text that ends planning proposes a plan. A text that reads as another plan than the one in force is installed. */
export async function textStopProposes(turn: ToolTurn, message: AssistantMessage): Promise<boolean> {
  const { content, id, createdAt } = message;
  if (looksLikePlan(content) && !summarizes(turn, content)) {
    if (await submitText(turn, content, { origin: id, at: createdAt })) {
      // "Answer and run" was said to a plan that is to be patched, not to a text that nobody has seen.
      turn.state.run = null;
      if (turn.state.plan?.steps.length === 0)
        turn.note({
          id: `${id}.steps`,
          at: createdAt,
          subkind: "system_notice",
          source: "no_steps",
          content: noStepsText,
        });
      return true;
    }
  }
  const { plan, history } = turn.state;
  if (!isActivePlan(plan)) return false;
  // After "Answer and run", a stop means that the answers are worked in, whether or not they changed the plan.
  if (turn.state.run !== null) return true;
  // An answer alone does not propose a rejected plan again, unless the input asked for a plan.
  return (
    plan.status === "draft" && (turn.env.request.input.type === "replan" || !wasRejected(history, plan.hash))
  );
}

/** A text without steps beside a plan with steps that was made in this turn: words about it, no plan in its place. */
function summarizes(turn: ToolTurn, text: string): boolean {
  const { plan } = turn.state;
  return (
    isActivePlan(plan) &&
    plan.steps.length > 0 &&
    isFresh(turn) &&
    proposedText(text, beforeOf(turn)).body.steps.length === 0
  );
}

/** Emits the ledger of the answers in this turn, once, before what follows from them. */
export function showLedger(turn: ToolTurn, asked?: readonly string[]): void {
  const { ledger } = turn.state;
  if (!ledger) return;
  turn.state.ledger = null;
  turn.emit(ledgerDraft(ledger, turn.state.plan, asked));
}

/** `asked`: what would be different in the plan if the person allowed it. */
export function ledgerDraft(
  { decisions, before }: OpenLedger,
  plan: Plan | null,
  asked?: readonly string[],
): DurableDraft {
  const updates = asked?.map((update) => `To be approved: ${update}`) ?? planDifference(before, plan);
  return { event: "ledger", data: { decisions, updates, text: renderLedger(decisions, updates) } };
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

/**
 * "Answer and run": the plan that was patched goes into execution in the same turn. `offered`: names of the tools that
 * the mode `to` offers.
 */
export function startRun(
  turn: ToolTurn,
  to: "normal" | "auto",
  at: number,
  offered: readonly string[],
): void {
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
    offered,
    instruction: undefined,
    history: turn.state.history,
  })) {
    turn.emit(draft);
  }
  turn.emit({
    event: "message",
    data: {
      message: {
        id: `${turnId}.run.user`,
        role: "user",
        content: approvalText,
        createdAt: at,
        mode: to,
      },
    },
  });
  turn.state.run = null;
}
