// The question of `enter_plan`: whether the person wants a plan before any work begins. Pure.
import type { Message } from "../message.ts";
import type { Question } from "./question.ts";

const label = "How to begin";
const planIt = "Plan first";
const doIt = "Just do it";

export const planFirstQuestion: Question = {
  id: "plan_first",
  label,
  prompt: "How should it begin?",
  type: "single_select",
  options: [{ label: planIt }, { label: doIt }],
};

/** The raw answers that the two buttons give. */
export const planFirstAnswer = { plan: "1", justDo: "2" } as const;

export function isPlanFirst(questions: readonly Question[]): boolean {
  return questions.length === 1 && questions[0]?.id === planFirstQuestion.id;
}

/**
 * What the person chose, according to the result of an `enter_plan` call: true = plan first; undefined if the message
 * is not such a result.
 */
export function planFirst(message: Message): boolean | undefined {
  if (message.role !== "tool" || message.name !== "enter_plan" || !message.ok) return undefined;
  if (message.content === `${label}: ${planIt}`) return true;
  return message.content === `${label}: ${doIt}` ? false : undefined;
}
