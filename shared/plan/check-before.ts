// The result that a failed check had on the files before the plan changed them (PROTOCOL 7 "Execution").
import * as z from "zod/mini";

/**
 * `snapshot`: the files on which it ran. `exitCode`: null if there is no result, because the check takes too long
 * (`timedOut`) or needs something that a copy of the files lacks. `last`: the last line of its output that reports a
 * failure, or otherwise the last line.
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
