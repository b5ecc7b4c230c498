// A plan that the model submitted. If it differs from the active plan it becomes the next version (PROTOCOL 7), which
// the person reviews, or which runs at once if their answers said so. Its open points are its questions (PROTOCOL 8):
// they are asked before the plan is proposed, as if the model had asked.
import type { DurableDraft } from "../../shared/event.ts";
import type { AssistantMessage, Message } from "../../shared/message.ts";
import { decides, lineLabel, sameWords } from "../../shared/plan/decided-points.ts";
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import { planDifference, renderLedger } from "../../shared/plan/ledger.ts";
import type { DecisionPoint, Plan, PlanBody } from "../../shared/plan/plan-file.ts";
import { oneLine } from "../../shared/plan/plan-lines.ts";
import { looksLikePlan } from "../../shared/plan/proposal-text.ts";
import type { Question } from "../../shared/plan/question.ts";
import { checkQuestions, maxQuestionRounds, maxQuestions } from "../../shared/plan/questions.ts";
import { restates } from "../../shared/plan/restates.ts";
import { abandons } from "../../shared/plan/set-plan.ts";
import { type Before, proposedText } from "../../shared/plan/written-plan.ts";
import { approvalText } from "../../shared/session/approval-text.ts";
import { isFinish } from "../../shared/session/history.ts";
import type { OpenLedger, ToolTurn } from "../calls/tool-turn.ts";
import { modeSwitchDrafts } from "../context/mode-switch.ts";
import { questionsAnswered, roundsAsked, wasRejected } from "./history-facts.ts";
import { install } from "./installing.ts";

/** Whether a text that ends planning proposes a plan. A text that differs from the active plan is installed. */
export async function textStopProposes(turn: ToolTurn, message: AssistantMessage): Promise<boolean> {
  const { content, id, createdAt } = message;
  if (looksLikePlan(content) && !summarizes(turn, content)) {
    if (await submitText(turn, content, { origin: id, at: createdAt })) {
      // "Answer and run" referred to a plan to be patched, not to a text that nobody has seen.
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
  // After "Answer and run", a stop means that the model has worked in the answers, whether or not they changed the
  // plan.
  if (turn.state.run !== null) return true;
  // An answer alone does not propose a rejected plan again, unless the input asked for a plan.
  return (
    plan.status === "draft" && (turn.env.request.input.type === "replan" || !wasRejected(history, plan.hash))
  );
}

/**
 * Whether the text only talks about a plan with steps that was made in this turn: it has no steps, so it does not
 * replace the plan.
 */
function summarizes(turn: ToolTurn, text: string): boolean {
  const { plan } = turn.state;
  return (
    isActivePlan(plan) &&
    plan.steps.length > 0 &&
    isFresh(turn) &&
    proposedText(text, comparedPlan(turn)).body.steps.length === 0
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

/** A plan as it was read from a call or a text. */
interface Submitted {
  body: PlanBody;
  markdown: string;
}

/** Id of the call or message that it came with, and its time in milliseconds. */
interface SubmissionOrigin {
  origin: string;
  at: number;
  /** Set if this version replaces a plan that is under way: see InstallOrigin. */
  continuesAs?: "approved" | "unapproved" | undefined;
}

/** For the model; the person reads the same on the plan's card. */
export const noStepsText =
  "No steps were read in it: nothing is checked, and no step can be undone. Write them as a numbered list, each with a line `Check: COMMAND`.";

/** A longer message does not fit the two lines of a goal. */
const maxGoalChars = 200;

/**
 * What a newly submitted plan is compared with. Without a goal of its own it has that of the active plan, else the
 * person's request.
 */
export function comparedPlan({ state }: ToolTurn): Before {
  const plan = isActivePlan(state.plan) ? state.plan : null;
  const asked = state.history.findLast(({ role }) => role === "user")?.content ?? "";
  const line = oneLine(asked.split("\n\n")[0] ?? "");
  return {
    plan,
    goal: plan?.goal || (line.length > maxGoalChars ? `${line.slice(0, maxGoalChars - 1)}…` : line),
  };
}

/** Installs the submitted plan as version 1 or as the next version. False if its text is that of the active plan. */
export async function submit(turn: ToolTurn, made: Submitted, from: SubmissionOrigin): Promise<boolean> {
  const { plan, mode } = turn.state;
  if (isActivePlan(plan)) {
    if (plan.markdown === made.markdown) return false;
    if (abandons(plan, made.body))
      turn.emit({ event: "plan", data: { plan: { ...plan, status: "abandoned" } } });
  }
  const { drafts } = await install(turn.state.plan, made, { source: "model", ...from, mode });
  for (const draft of drafts) turn.emit(draft);
  return true;
}

/**
 * `submit` for a text. If the plan was made in this turn, a text that only repeats it in fewer words changes nothing.
 * If the person has seen the plan, every difference counts: they may have asked for it.
 */
export async function submitText(turn: ToolTurn, text: string, from: SubmissionOrigin): Promise<boolean> {
  const { plan } = turn.state;
  const made = proposedText(text, comparedPlan(turn));
  if (isActivePlan(plan) && isFresh(turn) && restates(made.body, plan, text)) return false;
  return submit(turn, made, from);
}

/** Whether the plan was installed or changed by the model in this turn. */
function isFresh({ env, state }: ToolTurn): boolean {
  const { plan } = state;
  const posted = env.request.plan;
  return plan?.source === "model" && (posted?.version !== plan.version || posted.hash !== plan.hash);
}

/**
 * The questions that a plan leaves open, at most as many as one round takes. A point is closed once it was decided, or
 * once the person answered a question with its label or its words since the last plan ended; other answers leave it open.
 */
export function openQuestions(plan: Plan | null, history: readonly Message[]): Question[] {
  if (!isActivePlan(plan)) return [];
  const answered = questionsAnswered(history.slice(history.findLastIndex(isFinish) + 1));
  const open = plan.decisionPoints.flatMap(questionFor).filter((point) => {
    const closes = (asked: Question) => decides(asked, point) || sameWords(asked.prompt, point.prompt);
    return !plan.decisions.some((made) => decides(made, point)) && !answered.some(closes);
  });
  const checked = checkQuestions({ questions: open.slice(0, maxQuestions) }, { summaryRequired: false });
  return checked.ok ? checked.questions : [];
}

/** A line that asks something is a question in free text; other lines are only shown. */
function questionFor(point: DecisionPoint, index: number): Question[] {
  if (typeof point !== "string") return [point];
  if (!point.endsWith("?")) return [];
  return [{ id: `point-${index + 1}`, label: lineLabel(point), prompt: point, type: "free_text" }];
}

/** Questions to ask before the plan is shown: none if no round of questions is left. */
export function pointsToAsk({ state, env }: Pick<ToolTurn, "state" | "env">): Question[] {
  const questions = openQuestions(state.plan, state.history);
  return roundsAsked(state, env.carried) >= maxQuestionRounds ? [] : questions;
}

/** Asks what the plan leaves open, as an `ask_user` call after `message`. False if it leaves nothing open. */
export function asksOpenPoints(turn: ToolTurn, message: AssistantMessage): boolean {
  const { plan, mode } = turn.state;
  const questions = pointsToAsk(turn);
  if (!plan || questions.length === 0) return false;
  showLedger(turn);
  const id = `${message.id}.ask`.slice(0, 200);
  turn.note({
    id: `${id}.notice`,
    at: message.createdAt,
    subkind: "system_notice",
    source: "open_points",
    content:
      "The plan leaves points open, so they are asked before it is shown. Work the answers in and submit it again.",
  });
  const call = { id, name: "ask_user", arguments: JSON.stringify({ questions }) };
  turn.emit({
    event: "message",
    data: {
      message: {
        id,
        role: "assistant",
        content: "",
        createdAt: message.createdAt,
        mode,
        toolCalls: [call],
        finish: "tool_calls",
      },
    },
  });
  const round = plan.round + 1;
  turn.emit({ event: "plan", data: { plan: { ...plan, round } } });
  turn.emit({ event: "questions", data: { toolCallId: id, round, questions } });
  return true;
}
