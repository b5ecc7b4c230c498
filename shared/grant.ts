// What a person allowed for a session, as the sandbox's journal keeps it. Shapes only.
import * as z from "zod/mini";

/** One command line, letter by letter, in one folder: relative to the workspace, "" is the workspace. */
export const ExactCommand = z.object({ command: z.string(), cwd: z.string() });
export type ExactCommand = z.infer<typeof ExactCommand>;

/** With `only`, covers that command line alone; else the program with a subcommand that names its verb and every host. */
export const Grant = z.object({
  risk: z.string(),
  program: z.string(),
  subcommand: z.string(),
  only: z.optional(ExactCommand),
});
export type Grant = z.infer<typeof Grant>;

/** `id`: of the turn that allowed it; `at`: when, in milliseconds since the epoch. */
export const KeptGrant = z.object({ ...Grant.shape, id: z.string(), at: z.number() });
export type KeptGrant = z.infer<typeof KeptGrant>;

export const PermitDecision = z.enum(["once", "session", "deny", "again", "done", "never"]);
export type PermitDecision = z.infer<typeof PermitDecision>;

/** A person's decision on a call, as a claim reports it: `name` and `arguments` are those of the posted call. */
export const Permit = z.strictObject({
  toolCallId: z.string(),
  name: z.string(),
  arguments: z.string(),
  decision: PermitDecision,
  /**
   * Set for a `deny` of a call that may have run. Without it, such a `deny` is refused, so that the client can send it
   * again with this.
   */
  mayHaveRun: z.optional(z.boolean()),
});
export type Permit = z.infer<typeof Permit>;
