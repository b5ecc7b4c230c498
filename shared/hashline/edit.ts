// The edits of a file as models send them and the sandbox reads them (PROTOCOL 5).
import * as z from "zod/mini";

const at = z.string();
const to = z.optional(z.string());
const lines = z.array(z.string());

/** Edits of one file (PROTOCOL 5). `at` and `to` (the last row) are references such as `42foo`; `lines` have no row prefixes. */
export const Edit = z.discriminatedUnion("op", [
  z.strictObject({ op: z.literal("replace"), at, to, lines }),
  z.strictObject({ op: z.literal("delete"), at, to }),
  z.strictObject({ op: z.literal("insert_before"), at, lines }),
  z.strictObject({ op: z.literal("insert_after"), at, lines }),
  /** Needs either `before` or `after`. The planning of edits checks this, so that the model gets a helpful message. */
  z.strictObject({
    op: z.literal("move"),
    at,
    to,
    before: z.optional(z.string()),
    after: z.optional(z.string()),
  }),
  z.strictObject({ op: z.literal("append"), lines }),
  z.strictObject({ op: z.literal("prepend"), lines }),
  z.strictObject({
    op: z.literal("replace_text"),
    old: z.string(),
    new: z.string(),
    all: z.optional(z.boolean()),
  }),
]);
export type Edit = z.infer<typeof Edit>;
