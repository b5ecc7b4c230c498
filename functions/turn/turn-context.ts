// What a turn's first claim fixes for all its runs: numbers of its tool messages, and the calls it takes up.
import * as z from "zod/mini";
import { AssistantMessage } from "../../shared/message.ts";

/**
 * Kept by the sandbox as it is. With the journal it is all that tool messages are made of, so that whoever
 * runs or ends the turn, with whatever settings, makes the same ones.
 */
export const TurnContext = z.object({
  /** Rounds that may be sampled while planning, and otherwise. */
  planRounds: z.number(),
  runRounds: z.number(),
  /** Of the model, in tokens. */
  contextWindow: z.number(),
  /** A message of an earlier turn whose calls this one takes up. */
  resumes: z.optional(
    z.object({
      message: AssistantMessage,
      /** Ordinal of the first call that has no result yet. */
      from: z.number(),
      /** Ordinal of the call that the person has allowed. */
      permitted: z.optional(z.number()),
      /** Suffix of the key under which the permitted call runs: `/again` for one whose outcome is not known. */
      suffix: z.optional(z.string()),
    }),
  ),
});
export type TurnContext = z.infer<typeof TurnContext>;
export type Resumption = NonNullable<TurnContext["resumes"]>;
