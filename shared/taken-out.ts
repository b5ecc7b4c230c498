// What a sandbox took out of a workspace after a command, and keeps for the person. Shapes only.
import * as z from "zod/mini";

export const TakenOutEntry = z.object({
  id: z.string(),
  /** Where it was, relative to the workspace. */
  path: z.string(),
  why: z.string(),
  /** When, in milliseconds since the epoch. */
  at: z.number(),
  /** There was something at its path when the command began: it may be what the person saved meanwhile. */
  yours: z.boolean(),
  /** Who may run something in it once it is back, judged by its names; missing if nothing is known to. */
  runs: z.optional(z.array(z.enum(["git", "editor"]))),
});
export type TakenOutEntry = z.infer<typeof TakenOutEntry>;

/** The newest first. */
export const TakenOutList = z.object({ entries: z.array(TakenOutEntry) });
export type TakenOutList = z.infer<typeof TakenOutList>;
