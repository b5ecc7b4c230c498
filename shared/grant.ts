// The permissions that a person gave for a session, as the sandbox's journal stores them. Shapes only.
import * as z from "zod/mini";

/** One exact command line in one folder. `cwd` is relative to the workspace; "" is the workspace itself. */
export const ExactCommand = z.object({ command: z.string(), cwd: z.string() });
export type ExactCommand = z.infer<typeof ExactCommand>;

/**
 * With `only`, it covers that command line alone. Otherwise it covers `program` with `subcommand`, which names the verb
 * and every host.
 */
export const Grant = z.object({
  risk: z.string(),
  program: z.string(),
  subcommand: z.string(),
  only: z.optional(ExactCommand),
});
export type Grant = z.infer<typeof Grant>;

/** `id`: the turn in which it was allowed; `at`: milliseconds since the epoch. */
export const KeptGrant = z.object({ ...Grant.shape, id: z.string(), at: z.number() });
export type KeptGrant = z.infer<typeof KeptGrant>;

export const PermitDecision = z.literal(["once", "session", "deny", "again", "done", "never"]);
export type PermitDecision = z.infer<typeof PermitDecision>;

/**
 * A person's decision on a call, as a claim reports it. `name` and `arguments` are those of the call in the posted
 * history.
 */
export const Permit = z.strictObject({
  toolCallId: z.string(),
  name: z.string(),
  arguments: z.string(),
  decision: PermitDecision,
  /**
   * Set to deny a call that may already have run. Such a denial is refused without this field, so that the client can
   * confirm it and send it again.
   */
  mayHaveRun: z.optional(z.boolean()),
});
export type Permit = z.infer<typeof Permit>;
