// Whether "Answer and run", said to the plan that the person saw, holds for the plan as it is now (PROTOCOL 8).
import { isRecord } from "../../shared/is-record.ts";
import type { Message } from "../../shared/message.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { Decision, Question } from "../../shared/plan/question.ts";
import { checkQuestions } from "../../shared/plan/questions.ts";
import { abandons } from "../../shared/plan/set-plan.ts";
import { isAnswered } from "../../shared/session/history.ts";
import { parseArguments } from "../calls/parse-arguments.ts";
import { hides } from "./check-plan.ts";

/** What a question or an answer speaks of where it decides over the plan and not only over how a step is done. */
const ofThePlan = /\b(steps?|plan|checks?|checkpoints?|rollback|goal)\b/i;

/**
 * False where the plan hides a command, where it lost its patch, and where it has nothing in common any more with the one
 * that the person saw: then they see it first.
 */
export function runsUnseen(history: readonly Message[], plan: Plan | null): boolean {
  return plan !== null && !hides(plan) && !lostPatch(history, plan) && !isAnother(history, plan);
}

/** Whether no step of the plan that was answered to is left, nor its goal. */
function isAnother(history: readonly Message[], plan: Plan): boolean {
  const answered = history.findLastIndex(isAnswered);
  const seen = history.findLast((message, index) => message.role === "plan" && index < answered);
  return seen?.role === "plan" && abandons({ ...seen.extra.plan, status: "executing" }, plan);
}

/** Whether the newest answers said that they change the plan, and its text is that of before them. */
function lostPatch(history: readonly Message[], plan: Plan): boolean {
  const answered = history.findLast(isAnswered);
  if (answered?.meta?.facts?.planHash !== plan.hash) return false;
  const questions = questionsOf(history, answered.toolCallId);
  return plan.decisions.some((decision) => {
    const asked = questions.find(({ id, label }) => id === decision.id && label === decision.label);
    return asked !== undefined && speaksOfPlan(asked, decision);
  });
}

/** The question itself, the options that were chosen, or the person's own words. */
function speaksOfPlan({ prompt, options = [] }: Question, { answer }: Decision): boolean {
  const chosen = options.filter(({ label }) => answer.split(", ").includes(label));
  const words = [prompt, answer, ...chosen.map(({ description }) => description ?? "")];
  return words.some((text) => ofThePlan.test(text));
}

function questionsOf(history: readonly Message[], callId: string): Question[] {
  for (const message of history) {
    const call = message.role === "assistant" && message.toolCalls?.find(({ id }) => id === callId);
    if (!call) continue;
    const parsed = parseArguments(call.name, call.arguments);
    const checked = checkQuestions(parsed.ok && isRecord(parsed.value) ? parsed.value : null, {
      summaryRequired: false,
    });
    return checked.ok ? checked.questions : [];
  }
  return [];
}
