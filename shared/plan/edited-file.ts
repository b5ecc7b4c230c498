// A changed file, as plans and finish summaries count it.
import * as z from "zod/mini";

/** A changed file with its added and removed lines. */
export const EditedFile = z.object({ path: z.string(), added: z.number(), removed: z.number() });
export type EditedFile = z.infer<typeof EditedFile>;
