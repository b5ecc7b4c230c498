// The state of the folder in which the sandbox server keeps all sandboxes (PROTOCOL 4).
import * as z from "zod/mini";

/** What the server keeps of all sandboxes takes on its disk, workspaces aside. `budgetBytes`: 0 = no end. */
export const StateFolder = z.object({
  usedBytes: z.number(),
  budgetBytes: z.number(),
  /** In words what to do, once it is nearly full. */
  warning: z.optional(z.string()),
});
export type StateFolder = z.infer<typeof StateFolder>;
