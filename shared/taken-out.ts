// Files that a sandbox removed from a workspace after a command and keeps for the person. Shapes only.
import * as z from "zod/mini";

export const TakenOutEntry = z.object({
  id: z.string(),
  /** Its former path, relative to the workspace. */
  path: z.string(),
  why: z.string(),
  /** When it was removed, in milliseconds since the epoch. */
  at: z.number(),
  /** Something was at this path when the command began, so it may be a file that the person saved meanwhile. */
  yours: z.boolean(),
  /**
   * The kinds of program that may execute something in it once it is restored, judged by its names; missing if none is
   * known.
   */
  runs: z.optional(z.array(z.literal(["git", "editor"]))),
});
export type TakenOutEntry = z.infer<typeof TakenOutEntry>;

/** The newest first. */
export const TakenOutList = z.object({ entries: z.array(TakenOutEntry) });
export type TakenOutList = z.infer<typeof TakenOutList>;
