// Questions that the model asks and answers that a person gives (PROTOCOL 8): shapes only.
import * as z from "zod/mini";

/** People cannot compare more options on a phone. Checked after options that mean "none" are dropped. */
export const maxOptions = 4;

export const QuestionOption = z.object({ label: z.string(), description: z.optional(z.string()) });
export type QuestionOption = z.infer<typeof QuestionOption>;

export const QuestionType = z.literal(["single_select", "multi_select", "free_text"]);
export type QuestionType = z.infer<typeof QuestionType>;

/** `options` never contains the last option "(None) Type your answer"; clients and markdown add it. */
export const Question = z.object({
  id: z.string(),
  label: z.string(),
  prompt: z.string(),
  type: QuestionType,
  options: z.optional(z.array(QuestionOption)),
});
export type Question = z.infer<typeof Question>;

/** A question in a model's input: the tool's schema requires an id, but a question without one is accepted. */
export const QuestionInput = z
  .extend(Question, {
    id: z.optional(z.string()),
    options: z.optional(z.array(QuestionOption).check(z.meta({ maxItems: maxOptions }))),
  })
  .check(z.meta({ required: ["id", "label", "prompt", "type"] }));

/** `raw`: the exact input, for example `2`, `1,3` or text. */
export const Answer = z.strictObject({ id: z.string(), raw: z.string() });
export type Answer = z.infer<typeof Answer>;

/** One line of the decision ledger, with the answer in words. */
export const Decision = z.object({ id: z.string(), label: z.string(), answer: z.string() });
export type Decision = z.infer<typeof Decision>;

/** Why an answer was not understood. */
export const AnswerProblem = z.object({ id: z.string(), problem: z.string() });
export type AnswerProblem = z.infer<typeof AnswerProblem>;
