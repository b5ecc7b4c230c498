// Texts that the model drafts for the person: a session's name, a commit message.
import * as z from "zod/mini";
import { ModelRef } from "./event.ts";

/** The most characters that a draft is made from: a plan with the figures of a diff, or the beginning of a diff. */
const maxTextChars = 60_000;

export const ModelDraftRequest = z.strictObject({
  kind: z.literal(["title", "commit"]),
  text: z.string().check(z.regex(/\S/, "must not be blank"), z.maxLength(maxTextChars)),
  model: z.optional(ModelRef),
});
export type ModelDraftRequest = z.infer<typeof ModelDraftRequest>;

/** `cost`: US dollars, if the model's price is known. */
export const ModelDraft = z.object({ text: z.string(), cost: z.optional(z.number()) });
export type ModelDraft = z.infer<typeof ModelDraft>;
