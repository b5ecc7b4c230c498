// Hooks of a project: commands of `.handrail/config.json` that run automatically once the person has allowed them.
import * as z from "zod/mini";

export const HookTime = z.literal([
  "beforeTurn",
  "afterTurn",
  "beforeStep",
  "afterStep",
  "beforeChange",
  "afterChange",
]);
export type HookTime = z.infer<typeof HookTime>;

export const Hook = z.object({ when: HookTime, command: z.string(), timeoutMs: z.number() });
export type Hook = z.infer<typeof Hook>;

/** `hash`: SHA-256 of `hooks` in hex. The person's permission applies to this hash only. */
export const ProjectHooks = z.object({ hash: z.string(), hooks: z.array(Hook) });
export type ProjectHooks = z.infer<typeof ProjectHooks>;

/**
 * The response of `GET /api/sandboxes/:id/hooks`. `problem`: why the file cannot be read; in that case no hook runs.
 */
export const HooksState = z.object({
  ...ProjectHooks.shape,
  allowed: z.boolean(),
  problem: z.optional(z.string()),
});
export type HooksState = z.infer<typeof HooksState>;

/** The grant with which the sandbox's journal stores the person's permission. */
export function hooksGrant(hash: string): { risk: "hooks"; program: string; subcommand: string } {
  return { risk: "hooks", program: "hooks", subcommand: hash };
}

/** The id under which `tool.started` reports a hook around a turn or a step. No call has this id. */
export function hookRunId(turnId: string): string {
  return `${turnId}.hook`;
}

/** The id for a hook with this key in the sandbox (TURN/ROUND/hook/…); undefined for any other key. */
export function hookRunOfKey(key: string): string | undefined {
  const [turnId = "", , what] = key.split("/", 3);
  return what === "hook" ? hookRunId(turnId) : undefined;
}

export function isHookRun(id: string): boolean {
  return id.endsWith(".hook");
}
