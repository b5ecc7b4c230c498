// Words that the model writes for the person to use: a session's name, a commit's message.
import * as z from "zod/mini";
import { ModelRef } from "./event.ts";

/** The most that a draft is made from, in characters: a plan and the figures of a diff, or the beginning of one. */
const maxTextChars = 60_000;

export const ModelDraftRequest = z.strictObject({
  kind: z.enum(["title", "commit"]),
  text: z.string().check(z.regex(/\S/, "must not be blank"), z.maxLength(maxTextChars)),
  model: z.optional(ModelRef),
});
export type ModelDraftRequest = z.infer<typeof ModelDraftRequest>;

/** `cost` in US dollars, where the model's price is known. */
export const ModelDraft = z.object({ text: z.string(), cost: z.optional(z.number()) });
export type ModelDraft = z.infer<typeof ModelDraft>;
