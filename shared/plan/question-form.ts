// Defines what makes a question well formed (PROTOCOL 8), and reads loosely written ones. Used by plans and by
// ask_user.
import { isRecord } from "../is-record.ts";
import { oneLine } from "./plan-lines.ts";
import { maxOptions, type Question, type QuestionType } from "./question.ts";

/** The option that is added after a question's own options, on screens and in texts. */
export const noneLabel = "(None) Type your answer";

const noneWords =
  /^(none|none of (the )?(above|these|those|them)|others?|something else|custom answer|(type|write|enter) (your|my)( own)? answer)( (please )?(specify|describe|explain)| (type|write|enter) (your|my)( own)? answer| something else)*$/;

/** Whether one of the model's own options means the same as the added last option. */
export function meansNone(label: string): boolean {
  const words = label
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return noneWords.test(words);
}

const typeNames: Record<string, QuestionType> = {
  single: "single_select",
  singleselect: "single_select",
  select: "single_select",
  choice: "single_select",
  multi: "multi_select",
  multiple: "multi_select",
  multiselect: "multi_select",
  text: "free_text",
  free: "free_text",
  freetext: "free_text",
};

/**
 * Brings a question, as models write it, closer to the form that its schema expects. It accepts options as plain texts,
 * `question` or `text` for `prompt`, other spellings of a type, a missing type, and null for absent fields. The schema
 * then checks the result.
 */
export function tidyQuestion(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const options = Array.isArray(value.options) ? value.options.map(tidyOption) : (value.options ?? undefined);
  const prompt = value.prompt ?? value.question ?? value.text;
  const id = value.id ?? undefined;
  return {
    ...(id === undefined ? {} : { id: typeof id === "number" ? String(id) : id }),
    label: value.label ?? undefined,
    prompt,
    type: tidyType(value.type, Array.isArray(options) && options.length > 0),
    ...(options === undefined ? {} : { options }),
  };
}

function tidyOption(option: unknown): unknown {
  if (typeof option === "string") return { label: option };
  if (!isRecord(option)) return option;
  const label = option.label ?? option.title;
  const description = option.description ?? undefined;
  return { label, ...(description === undefined ? {} : { description }) };
}

function tidyType(type: unknown, hasOptions: boolean): unknown {
  if (type === undefined || type === null) return hasOptions ? "single_select" : "free_text";
  if (typeof type !== "string") return type;
  return typeNames[type.toLowerCase().replace(/[^a-z]/g, "")] ?? type;
}

/** The question on single lines, without options that mean none and without empty lists. */
export function normaliseQuestion(question: Question): Question {
  const options = (question.options ?? [])
    .map((option) => {
      const description = oneLine(option.description ?? "");
      return { label: oneLine(option.label), ...(description === "" ? {} : { description }) };
    })
    .filter((option) => !meansNone(option.label));
  return {
    id: question.id,
    label: oneLine(question.label),
    prompt: oneLine(question.prompt),
    type: question.type,
    ...(options.length > 0 ? { options } : {}),
  };
}

/** What is wrong with a normalised question, in words that follow its name; undefined if it is well formed. */
export function questionProblem(question: Question): string | undefined {
  if (question.label === "") return "needs a label of one or two words";
  if (question.prompt === "") return "needs a prompt";
  const options = question.options ?? [];
  if (question.type === "free_text")
    return options.length > 0 ? "is free text and takes no options" : undefined;
  if (options.length === 0) return `needs 1 to ${maxOptions} options`;
  if (options.length > maxOptions)
    return `has ${options.length} options; at most ${maxOptions} (none is added by itself)`;
  if (options.some((option) => option.label === "")) return "has an option without a label";
  const twice = firstRepeated(options.map((option) => option.label));
  return twice === undefined ? undefined : `has the option "${twice}" twice`;
}

export function firstRepeated(texts: readonly string[]): string | undefined {
  return texts.find((text, index) => texts.indexOf(text) !== index);
}
