// The state folder, in which the sandbox server keeps all sandboxes (PROTOCOL 4).
import * as z from "zod/mini";

/**
 * How much disk space the server's data of all sandboxes takes, without their workspaces. `budgetBytes`: 0 = unlimited.
 */
export const StateFolder = z.object({
  usedBytes: z.number(),
  budgetBytes: z.number(),
  /** A sentence saying what to do when it is nearly full. */
  warning: z.optional(z.string()),
});
export type StateFolder = z.infer<typeof StateFolder>;
