// The op `look` (PROTOCOL 4): what others have changed since this sandbox's model last saw it.
import * as z from "zod/mini";

export const LookArgs = z.strictObject({
  /** Files with the versions that the model knows. */
  files: z.optional(
    z.array(z.strictObject({ path: z.string(), version: z.string() })).check(z.maxLength(200)),
  ),
});
export type LookArgs = z.infer<typeof LookArgs>;

/** The state of HEAD; `branch` is null if it is on no branch. `commit`: short id and subject. */
export const Head = z.object({ branch: z.nullable(z.string()), commit: z.string() });
export type Head = z.infer<typeof Head>;

/** `files`: those that have changed; null = deleted. `moved`: HEAD was elsewhere when this sandbox last saw it. */
export const LookValue = z.object({
  files: z.array(z.object({ path: z.string(), version: z.nullable(z.string()) })),
  moved: z.optional(z.object({ from: Head, to: Head })),
});
export type LookValue = z.infer<typeof LookValue>;
