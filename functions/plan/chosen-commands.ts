// Commands that the person chose or typed in their newest answers: what they decided on already is not asked about again.
import type { Message } from "../../shared/message.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import type { Decision, Question } from "../../shared/plan/question.ts";
import { isAnswered } from "../../shared/session/history.ts";
import { questionsAnswered } from "./questions-answered.ts";

/** Tells of a command whether the newest answers name the whole of it. What only the question names does not count. */
export function chosenCommands(
  history: readonly Message[],
  { decisions }: Pick<Plan, "decisions">,
): (command: string) => boolean {
  const said = decisions.flatMap((decision) => {
    const asked = questionOf(history, decision);
    return asked ? chosenWords(asked, decision) : [];
  });
  return (command) => said.some((text) => namesCommand(text, command));
}

/** The question of a decision, where it is one of those that were answered last. */
export function questionOf(history: readonly Message[], { id, label }: Decision): Question | undefined {
  const answered = history.findLast(isAnswered);
  const last = history.filter((message) => !isAnswered(message) || message === answered);
  return questionsAnswered(last).find((asked) => asked.id === id && asked.label === label);
}

/** What the person said by their answer alone: the options that they chose, and their own words. */
function chosenWords({ type, options = [] }: Question, { answer }: Decision): string[] {
  const labels = type === "single_select" ? [answer] : answer.split(", ");
  const chosen = options.filter(
    ({ label }) => labels.includes(label) && !(label.includes(", ") && label !== answer),
  );
  return [answer, ...chosen.map(({ description }) => description ?? "")];
}

/** Words beside a command that may mean that it is not to run. Where they mean something else, the plan is shown once more. */
const refuses = /\b(?:no|not|never|none|without|instead|avoid|except|skip|drop|remove|rather)\b|n[’']t\b/i;

/** Whether `text` names the whole command: as a line of its own or in backticks, and not in order to refuse it. */
function namesCommand(text: string, command: string): boolean {
  if (text.trim() === command) return true;
  const spans = [...text.matchAll(/(?<!`)(`+)(?!`)([^\n]*?[^`\n])\1(?!`)/g)].map(([, , code = ""]) =>
    code.trim(),
  );
  const named = text.split("\n").some((line) => line.trim() === command) || spans.includes(command);
  return named && !refuses.test(text.replaceAll(command, ""));
}
