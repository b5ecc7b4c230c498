// Commands that run beside the turns of a sandbox (PROTOCOL 4): requests about them, and their states.
import * as z from "zod/mini";

/** Reads a command's output since the last read; `stop`: ends it first. No `id` = the newest one. */
export const BackgroundArgs = z.strictObject({
  id: z.optional(z.string()),
  stop: z.optional(z.boolean()),
  /** How long to wait for its end. */
  waitMs: z.optional(z.number().check(z.int(), z.positive(), z.lte(60_000))),
});
export type BackgroundArgs = z.infer<typeof BackgroundArgs>;

/** `ports`: TCP ports that its processes listen on, in a network of their own; missing if that cannot be seen. */
export const BackgroundState = z.object({
  id: z.string(),
  running: z.boolean(),
  ports: z.optional(z.array(z.number())),
});
export type BackgroundState = z.infer<typeof BackgroundState>;

/** A running command, for the person. `kept`: it does not end with the turn. */
export const BackgroundInfo = z.object({
  ...{ id: z.string(), command: z.string(), startedAt: z.number(), kept: z.boolean() },
  ports: z.optional(z.array(z.number())),
});
export type BackgroundInfo = z.infer<typeof BackgroundInfo>;
