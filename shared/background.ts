// Commands that run in the background, alongside a sandbox's turns (PROTOCOL 4): requests about them, and their states.
import * as z from "zod/mini";

/**
 * Asks for a command's output since the last read; with `stop`, the command is ended first. No `id` = the newest
 * command.
 */
export const BackgroundArgs = z.strictObject({
  id: z.optional(z.string()),
  stop: z.optional(z.boolean()),
  /** How long to wait for the command to end. */
  waitMs: z.optional(z.number().check(z.int(), z.positive(), z.lte(60_000))),
});
export type BackgroundArgs = z.infer<typeof BackgroundArgs>;

/** `ports`: TCP ports on which its processes listen in its own network; missing if the server cannot see them. */
export const BackgroundState = z.object({
  id: z.string(),
  running: z.boolean(),
  ports: z.optional(z.array(z.number())),
});
export type BackgroundState = z.infer<typeof BackgroundState>;

/** A running command, as it is shown to the person. `kept`: it continues to run after the turn ends. */
export const BackgroundInfo = z.object({
  ...{ id: z.string(), command: z.string(), startedAt: z.number(), kept: z.boolean() },
  ports: z.optional(z.array(z.number())),
});
export type BackgroundInfo = z.infer<typeof BackgroundInfo>;
