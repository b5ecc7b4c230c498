// The input `answers`, checked against the open questions (PROTOCOL 8).
import { HandrailError, invalidField } from "../../shared/errors.ts";
import type { ToolCall } from "../../shared/message.ts";
import { isActivePlan } from "../../shared/plan/is-active-plan.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { planFirst, planFirstQuestion } from "../../shared/plan/plan-first.ts";
import type { Decision } from "../../shared/plan/question.ts";
import { type CheckedQuestions, checkQuestions, interpretAnswers } from "../../shared/plan/questions.ts";
import type { TurnInput, TurnRequest } from "../../shared/turn.ts";
import { openCalls } from "../calls/open-calls.ts";
import { parseArguments } from "../calls/prepared.ts";
import { cutToMarker } from "../compaction/marker.ts";
import { roundsAsked } from "../plan/history-facts.ts";
import { type InputEffect, resultMessage } from "./messages.ts";

/**
 * Valid answers give the call its result, close its siblings and put the decisions into the plan file. If an answer
 * was not understood, the same questions are asked again and the turn ends, without a message or a model call.
 */
export function readAnswers(
  request: TurnRequest,
  input: Extract<TurnInput, { type: "answers" }>,
  plan: Plan | null,
  now: number,
): InputEffect {
  const open = openCalls(request.messages);
  const ordinal = open?.ordinals[0] ?? -1;
  const call = open?.message.toolCalls?.[ordinal];
  const isAsked = call !== undefined && asksQuestions(call.name);
  if (!open || !isAsked || call.id !== input.toolCallId) {
    throw new HandrailError("stale_plan", "These questions are no longer open. Look at what is asked now.", {
      details: isAsked ? { toolCallId: call.id } : {},
    });
  }
  const proposesPlan = call.name === "enter_plan";
  const checked = questionsOf(call);
  if (!checked.ok)
    throw new HandrailError(
      "invalid_request",
      `messages: the open ask_user call does not hold questions: ${checked.problem}.`,
    );
  const { questions, summary } = checked;
  const meant = interpretAnswers(questions, input.answers);
  const { mode } = request;
  const resolves = `call:${call.id}`;
  if (!meant.ok) {
    if (meant.unknown.length > 0) throw invalid(`no such question: ${meant.unknown.join(", ")}`);
    if (meant.missing.length > 0)
      throw invalid(`no answer to: ${meant.missing.join(", ")}; answer every question`);
    const round = proposesPlan ? 0 : openRound(request, plan);
    const again = { ...(summary === undefined ? {} : { summary }), questions, details: meant.problems };
    return {
      messages: [],
      keeps: open.ordinals,
      // Asking again reopens the call, so the sandbox refuses it if another turn has answered it.
      resolves,
      after: [
        { event: "questions", data: { toolCallId: call.id, round, ...again } },
        { event: "turn.done", data: { reason: "questions", rounds: 0 } },
      ],
      prelude: { kind: "ends" },
    };
  }
  const siblings = open.ordinals.slice(1).flatMap((sibling) => {
    const other = open.message.toolCalls?.[sibling];
    return other
      ? [resultMessage(other, { ok: false, content: "not run: questions were asked", at: now, mode })]
      : [];
  });
  const result = resultMessage(call, { ok: true, content: answerText(meant.decisions), at: now, mode });
  const common = { messages: [result, ...siblings], keeps: open.ordinals, resolves };
  if (proposesPlan) return { ...common, ...(planFirst(result) ? { mode: "plan" } : {}) };
  const decided = isActivePlan(plan) ? withDecisions(plan, meant.decisions) : undefined;
  return {
    ...(decided ? { plan: decided } : {}),
    ...common,
    ledger: { decisions: meant.decisions, before: plan },
    // While a plan executes, work continues at the active step, whatever `run` says.
    ...(input.run && mode === "plan" ? { run: input.mode ?? "normal" } : {}),
  };
}

/** Tools whose calls wait for answers rather than for a permission. */
export function asksQuestions(name: string): boolean {
  return name === "ask_user" || name === "enter_plan";
}

function questionsOf({ name, arguments: json }: ToolCall): CheckedQuestions {
  if (name === "enter_plan") return { ok: true, questions: [planFirstQuestion] };
  const parsed = parseArguments(json);
  return checkQuestions(parsed.ok ? parsed.value : null, { summaryRequired: false });
}

/** The round of questions that is open. */
function openRound(request: TurnRequest, plan: Plan | null): number {
  const { messages, carried } = cutToMarker(request.messages);
  const asked = roundsAsked({ plan, history: messages }, carried);
  // A plan counts a round of questions when they are shown, a history when they are answered.
  return isActivePlan(plan) ? asked : asked + 1;
}

function answerText(decisions: readonly Decision[]): string {
  return decisions.map(({ label, answer }) => `${label}: ${answer}`).join("\n");
}

/** A later answer to the same decision point replaces the earlier one. */
function withDecisions(plan: Plan, made: readonly Decision[]): Plan {
  const kept = plan.decisions.filter(
    (old) => !made.some((decision) => decision.id === old.id && decision.label === old.label),
  );
  return { ...plan, decisions: [...kept, ...made] };
}

function invalid(problem: string): HandrailError {
  return invalidField("input.answers", problem);
}
