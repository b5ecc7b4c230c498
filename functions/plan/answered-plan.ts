// Whether "Answer and run", said to the plan that the person saw, holds for the plan as it is now (PROTOCOL 8).
import type { Message } from "../../shared/message.ts";
import { planCommandsOf } from "../../shared/plan/plan-commands.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { Decision, Question } from "../../shared/plan/question.ts";
import { findStep } from "../../shared/plan/steps.ts";
import { isAnswered } from "../../shared/session/history.ts";
import { sha256Hex } from "../sha256.ts";
import { changesWhatWasApproved } from "./change-unseen.ts";
import { hides } from "./check-plan.ts";
import { chosenCommands, questionOf } from "./chosen-commands.ts";
import { planAtEnd } from "./plan-at-end.ts";

/** What a question or an answer speaks of where it decides over the plan and not only over how a step is done. */
const ofThePlan = /\b(steps?|plan|checks?|checkpoints?|rollback|goal)\b/i;

/**
 * False where the plan hides a command or lost its patch, and where the person did not see what it would run: no step of
 * the plan that they answered to is left, it has a command that was neither in that plan nor named by what they chose or
 * typed, or that plan was itself an unseen change of one that they had approved.
 */
export async function needsNoReview(history: readonly Message[], plan: Plan | null): Promise<boolean> {
  if (plan === null || hides(plan) || lostPatch(history, plan)) return false;
  const before = history.slice(0, history.findLastIndex(isAnswered));
  const seen = planAtEnd(before);
  const hash = history.findLast(isAnswered)?.meta?.facts?.planHash;
  // A history that does not tell what the person saw runs nothing.
  if (!seen || (await sha256Hex(seen.markdown)) !== hash) return false;
  if (changesWhatWasApproved(before, seen)) return false;
  return runsWhatWasSeen(history, { seen, plan });
}

function runsWhatWasSeen(history: readonly Message[], { seen, plan }: { seen: Plan; plan: Plan }): boolean {
  const kept = plan.steps.some(({ id, description }) => findStep(seen, id)?.description === description);
  if (!kept && plan.markdown !== seen.markdown) return false;
  const commands = new Set(planCommandsOf(seen).map(({ command }) => command));
  const isChosen = chosenCommands(history, plan);
  return planCommandsOf(plan).every(({ command }) => commands.has(command) || isChosen(command));
}

/** Whether the newest answers said that they change the plan, and its text is that of before them. */
function lostPatch(history: readonly Message[], plan: Plan): boolean {
  const answered = history.findLast(isAnswered);
  if (answered?.meta?.facts?.planHash !== plan.hash) return false;
  return plan.decisions.some((decision) => {
    const asked = questionOf(history, decision);
    return asked !== undefined && wordsOf(asked, decision).some((text) => ofThePlan.test(text));
  });
}

/** What the person read and said of a decision: the question, the options that they chose, their own words. */
function wordsOf({ prompt, options = [] }: Question, { answer }: Decision): string[] {
  const chosen = options.filter(({ label }) => answer.split(", ").includes(label));
  return [prompt, answer, ...chosen.map(({ description }) => description ?? "")];
}
