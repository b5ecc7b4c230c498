// How a check that failed had ended before the plan changed anything (PROTOCOL 7 "Execution").
import * as z from "zod/mini";

/**
 * `snapshot`: of the files that it ran on. `exitCode`: null if that cannot be told: it takes too long (`timedOut`), or
 * needs what a copy of the files does not have. `last`: the last line of its output that tells a failure, or else the
 * last.
 */
export const CheckBefore = z.object({
  snapshot: z.string(),
  exitCode: z.nullable(z.number()),
  timedOut: z.optional(z.literal(true)),
  last: z.optional(z.string()),
});
export type CheckBefore = z.infer<typeof CheckBefore>;

export function failedBefore(before: CheckBefore | undefined): boolean {
  return before !== undefined && before.exitCode !== null && before.exitCode !== 0;
}
