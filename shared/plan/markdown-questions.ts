// Renders and parses decision points: `1) **Label** (single-select): prompt` with options below (PROTOCOL 7).
import type { DecisionPoint } from "./plan-file.ts";
import {
  escapeMark,
  freeId,
  indentOf,
  LineProblem,
  oneLine,
  plainId,
  type SourceLine,
  unescapeMark,
} from "./plan-lines.ts";
import type { Question, QuestionOption, QuestionType } from "./question.ts";
import { meansNone, noneLabel, normaliseQuestion, questionProblem } from "./question-form.ts";

const typeWords: Record<QuestionType, string> = {
  single_select: "single-select",
  multi_select: "multi-select",
  free_text: "free-text",
};
const typeOfWord = new Map<string, QuestionType>([
  ["single-select", "single_select"],
  ["multi-select", "multi_select"],
  ["free-text", "free_text"],
]);

const questionMark = /^\*\*(.+?)\*\* ?\((single-select|multi-select|free-text)\) ?:? ?(.*)$/;
const entryLine = /^ {0,2}(?:\d{1,6}[.)]|[-*+])\s+(.*)$/;
const optionLine = /^\s+\d{1,6}[.)]\s+(.*)$/;

/** One question with its number (from 1), as it is shown to a person who types the answer. */
export function questionLines(question: Question, number: number): string[] {
  const label = question.label.replace(/[\\*]/g, "\\$&");
  const lines = [`${number}) **${label}** (${typeWords[question.type]}): ${question.prompt}`];
  if (question.type === "free_text") return lines;
  const options = question.options ?? [];
  options.forEach((option, index) => {
    lines.push(`   ${index + 1}. ${option.label}`);
    if (option.description !== undefined) lines.push(`      ${option.description}`);
  });
  lines.push(`   ${options.length + 1}. ${noneLabel}`, "      Next");
  return lines;
}

/** The id follows the prompt in brackets, unless it is `q` and the number of the point. */
export function renderDecisionPoints(points: readonly DecisionPoint[]): string[] {
  return points.flatMap((point, index) => {
    if (typeof point === "string") return [`${index + 1}) ${escapeMark(point, questionMark)}`];
    const plain = point.id === `q${index + 1}` && splitId(point.prompt) === undefined;
    return questionLines(plain ? point : { ...point, prompt: `${point.prompt} [${point.id}]` }, index + 1);
  });
}

interface OpenQuestion {
  line: number;
  question: Omit<Question, "id" | "options">;
  id: string | undefined;
  options: QuestionOption[];
  optionIndent: number;
  /** What a line with a deeper indent belongs to: the last option, the None option, or nothing. */
  deeper: "option" | "none" | undefined;
}

/** Throws LineProblem. */
export function parseDecisionPoints(lines: readonly SourceLine[]): DecisionPoint[] {
  const entries: (string | OpenQuestion)[] = [];
  for (const line of lines) {
    if (line.text.trim() === "") continue;
    const entry = entryLine.exec(line.text);
    const last = entries.at(-1);
    if (entry) entries.push(openEntry(entry[1] ?? "", line.number));
    else if (typeof last === "object" && last.question.type !== "free_text") addToQuestion(last, line);
    else
      throw new LineProblem(
        line.number,
        "expected a decision point such as `1) **Label** (single-select): prompt`",
      );
  }
  return closeEntries(entries);
}

function openEntry(text: string, line: number): string | OpenQuestion {
  const match = questionMark.exec(text);
  if (!match) return unescapeMark(text.trim(), questionMark);
  const [, label = "", word = "", rest = ""] = match;
  const { prompt, id } = splitId(rest.trim()) ?? { prompt: rest.trim(), id: undefined };
  const type = typeOfWord.get(word) ?? "free_text";
  return {
    line,
    question: { label: label.replace(/\\([\\*])/g, "$1").trim(), prompt, type },
    id,
    options: [],
    optionIndent: Number.POSITIVE_INFINITY,
    deeper: undefined,
  };
}

function addToQuestion(open: OpenQuestion, line: SourceLine): void {
  const indent = indentOf(line.text);
  const option = optionLine.exec(line.text);
  if (option && indent <= open.optionIndent) {
    const label = (option[1] ?? "").trim();
    open.optionIndent = indent;
    open.deeper = meansNone(label) ? "none" : "option";
    if (open.deeper === "option") open.options.push({ label });
    return;
  }
  const text = line.text.trim();
  const last = open.options.at(-1);
  if (indent > open.optionIndent && open.deeper === "option" && last) {
    last.description = last.description === undefined ? text : `${last.description} ${text}`;
    return;
  }
  if (indent > open.optionIndent && open.deeper === "none" && text.toLowerCase() === "next") return;
  throw new LineProblem(
    line.number,
    "expected an option such as `   1. title`, or its description indented deeper",
  );
}

function closeEntries(entries: readonly (string | OpenQuestion)[]): DecisionPoint[] {
  const taken = new Set<string>();
  for (const entry of entries) {
    if (typeof entry === "string" || entry.id === undefined) continue;
    if (taken.has(entry.id)) throw new LineProblem(entry.line, `the id [${entry.id}] is used twice`);
    taken.add(entry.id);
  }
  return entries.map((entry, index) => {
    if (typeof entry === "string") return entry;
    const id = entry.id ?? freeId("q", taken, index + 1);
    taken.add(id);
    const question = normaliseQuestion({ id, ...entry.question, options: entry.options });
    const problem = questionProblem(question);
    if (problem !== undefined) throw new LineProblem(entry.line, `the question ${problem}`);
    return question;
  });
}

/** Splits `prompt [id]`; undefined if it does not end with an id. */
function splitId(text: string): { prompt: string; id: string } | undefined {
  const open = text.lastIndexOf(" [");
  if (open < 0 || !text.endsWith("]")) return undefined;
  const prompt = text.slice(0, open).trimEnd();
  const id = text.slice(open + 2, -1);
  return prompt === "" || id === "" || id !== plainId(id) || id !== oneLine(id) ? undefined : { prompt, id };
}
