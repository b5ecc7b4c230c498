// `ask_user` (PROTOCOL 8): the rules for a batch of questions, how it is shown, and what raw answers mean. Answers are
// never guessed: one that is not understood is asked for again.
import * as z from "zod/mini";
import { isRecord } from "../is-record.ts";
import { argsProblem } from "./args-problem.ts";
import { questionLines } from "./markdown-questions.ts";
import { fewLines, freeId, plainId, splitLines } from "./plan-lines.ts";
import { type Answer, type AnswerProblem, type Decision, type Question, QuestionInput } from "./question.ts";
import {
  firstRepeated,
  noneLabel,
  normaliseQuestion,
  questionProblem,
  tidyQuestion,
} from "./question-form.ts";

/** More questions than a person answers on a phone in one go. */
export const maxQuestions = 5;
/** The most batches for one plan, during planning and execution together. */
export const maxQuestionRounds = 5;
export const maxSummaryLines = 3;

/** `summary`: the situation in 1 to 3 lines. Ids may be missing; `checkQuestions` adds them. */
export const AskUserArgs = z.object({
  summary: z.optional(z.string()),
  questions: z.array(QuestionInput).check(z.meta({ minItems: 1, maxItems: maxQuestions })),
});
export type AskUserArgs = z.infer<typeof AskUserArgs>;

function tidyAskUser(args: unknown): unknown {
  if (!isRecord(args)) return args;
  const { summary, questions } = args;
  return {
    ...args,
    summary: summary ?? undefined,
    questions: Array.isArray(questions)
      ? questions.map(tidyQuestion)
      : isRecord(questions)
        ? [tidyQuestion(questions)]
        : questions,
  };
}

export type CheckedQuestions =
  | { ok: true; summary?: string; questions: Question[] }
  | { ok: false; problem: string };

/** The questions of an `ask_user` call in normal form, or one problem in words for the model. */
export function checkQuestions(args: unknown, options: { summaryRequired: boolean }): CheckedQuestions {
  const parsed = z.safeParse(AskUserArgs, tidyAskUser(args));
  if (!parsed.success) return { ok: false, problem: argsProblem(parsed.error) };
  const { questions: asked, summary: given = "" } = parsed.data;
  if (asked.length === 0) return { ok: false, problem: "`questions` must hold 1 to 5 questions" };
  if (asked.length > maxQuestions) {
    return {
      ok: false,
      problem: `${asked.length} questions are too many; ask the ${maxQuestions} that matter most`,
    };
  }
  const lines = splitLines(given).filter((line) => line.trim() !== "").length;
  if (lines > maxSummaryLines)
    return { ok: false, problem: `\`summary\` has ${lines} lines; at most ${maxSummaryLines}` };
  if (lines === 0 && options.summaryRequired) {
    return {
      ok: false,
      problem: "`summary` is required while working: say in 1 to 3 lines what the situation is",
    };
  }
  const questions = withIds(asked);
  const problem = batchProblem(questions);
  if (problem !== undefined) return { ok: false, problem };
  return { ok: true, ...(lines === 0 ? {} : { summary: fewLines(given, maxSummaryLines) }), questions };
}

function withIds(asked: AskUserArgs["questions"]): Question[] {
  const given = asked.map((question) => plainId(question.id ?? ""));
  const taken = new Set(given);
  return asked.map((question, index) => {
    const id = given[index] || freeId("q", taken, index + 1);
    taken.add(id);
    return normaliseQuestion({ ...question, id });
  });
}

function batchProblem(questions: readonly Question[]): string | undefined {
  const id = firstRepeated(questions.map((question) => question.id));
  if (id !== undefined) return `two questions have the id ${id}`;
  for (const question of questions) {
    const problem = questionProblem(question);
    if (problem !== undefined) return `question ${question.id} ${problem}`;
  }
  const label = firstRepeated(questions.map((question) => question.label));
  return label === undefined ? undefined : `two questions have the label "${label}"`;
}

/** The questions with their numbered options, as they are shown where answers are typed. */
export function renderQuestions(questions: readonly Question[]): string {
  return questions.map((question, index) => questionLines(question, index + 1).join("\n")).join("\n");
}

export type InterpretedAnswer =
  | {
      ok: true;
      /** The answer in words, as the ledger shows it. */
      answer: string;
      /** The numbers of the chosen options, from 1, ascending; absent for an answer in the person's own words. */
      picked?: number[];
    }
  | { ok: false; problem: string };

/**
 * Interprets one answer. For select questions, an answer that is not only numbers and commas is taken as the person's
 * own words.
 */
export function interpretAnswer(question: Question, raw: string): InterpretedAnswer {
  if (raw.trim() === "") return { ok: false, problem: "an answer is missing" };
  if (question.type === "free_text") return { ok: true, answer: raw };
  if (raw.trim() === noneLabel) return typeItself;
  if (!/^[\d\s,]+$/.test(raw)) return { ok: true, answer: raw.trim() };
  return interpretNumbers(question, raw);
}

const typeItself: InterpretedAnswer = { ok: false, problem: "type the answer itself, in your own words" };

function interpretNumbers(question: Question, raw: string): InterpretedAnswer {
  const options = question.options ?? [];
  const range = options.length === 1 ? "1" : `1 to ${options.length}`;
  const parts = raw.split(",").map((part) => part.trim());
  if (parts.some((part) => !/^\d+$/.test(part))) {
    return { ok: false, problem: `separate numbers with single commas, for example 1,3 (${range})` };
  }
  const numbers = [...new Set(parts.map(Number))].sort((a, b) => a - b);
  const none = options.length + 1;
  if (numbers.length === 1 && numbers[0] === none) return typeItself;
  if (question.type === "single_select" && parts.length > 1)
    return { ok: false, problem: `choose one number, ${range}` };
  const wrong = numbers.filter((number) => number < 1 || number > options.length);
  if (wrong.length > 0) {
    const which = wrong.includes(none)
      ? `${none} (none) does not go with other numbers`
      : `there is no option ${wrong.join(", ")}`;
    return { ok: false, problem: `${which}; choose from ${range}, or type your answer` };
  }
  const answer = numbers.map((number) => options[number - 1]?.label ?? "").join(", ");
  return { ok: true, answer, picked: numbers };
}

export type InterpretedAnswers =
  | { ok: true; decisions: Decision[] }
  | {
      ok: false;
      /** Answers that were not understood; their questions are asked again. */
      problems: AnswerProblem[];
      /**
       * Ids of questions without an answer, and ids that belong to no question; both mean that the request is invalid.
       */
      missing: string[];
      unknown: string[];
    };

/** Interprets all answers of a batch, in the order of its questions. */
export function interpretAnswers(
  questions: readonly Question[],
  answers: readonly Answer[],
): InterpretedAnswers {
  const ids = questions.map((question) => question.id);
  const unknown = answers.map((answer) => answer.id).filter((id) => !ids.includes(id));
  const missing: string[] = [];
  const problems: AnswerProblem[] = [];
  const decisions: Decision[] = [];
  for (const question of questions) {
    const [answer, ...more] = answers.filter(({ id }) => id === question.id);
    if (!answer) {
      missing.push(question.id);
      continue;
    }
    const meant: InterpretedAnswer =
      more.length > 0 ? { ok: false, problem: "answered twice" } : interpretAnswer(question, answer.raw);
    if (meant.ok) decisions.push({ id: question.id, label: question.label, answer: meant.answer });
    else problems.push({ id: question.id, problem: meant.problem });
  }
  if (problems.length + missing.length + unknown.length > 0) return { ok: false, problems, missing, unknown };
  return { ok: true, decisions };
}
