// The project's hooks as a turn sees them: which exist, which to report, and which to run.
import * as z from "zod/mini";
import { HandrailError } from "../../shared/errors.ts";
import type { Grant } from "../../shared/grant.ts";
import { ProjectHooks } from "../../shared/hooks.ts";
import { hooksFound } from "../../shared/hooks-found.ts";
import type { EventMessage } from "../../shared/message.ts";
import type { TurnRequest } from "../../shared/turn.ts";
import type { HooksOfTurn } from "../calls/tool-turn.ts";
import type { Deps } from "../deps.ts";
import { foundHooks } from "./found-hooks.ts";
import { areAllowed, readHooks } from "./read-hooks.ts";
import { TurnHooks } from "./turn-hooks.ts";

/**
 * Reads the hooks for a turn whose client says that there are some. An unreadable file counts as none, because the
 * client shows why.
 */
export async function hooksForTurn(
  deps: Pick<Deps, "sandbox">,
  { sandboxId, input }: Pick<TurnRequest, "sandboxId" | "input">,
): Promise<ProjectHooks | undefined> {
  try {
    return await readHooks(deps, sandboxId);
  } catch (error) {
    if (input.type !== "hooks" && error instanceof HandrailError && error.code === "invalid_request")
      return undefined;
    throw error;
  }
}

/** Reports the hooks if they have changed since the last report. */
export function hooksChanged(
  hooks: ProjectHooks | undefined,
  { turnId, mode, messages, input }: Pick<TurnRequest, "turnId" | "mode" | "messages" | "input">,
  now: number,
): EventMessage[] {
  const told = messages
    .flatMap((message) => (message.role === "event" ? [hashTold(message)] : []))
    .findLast((hash) => hash !== undefined);
  // A new session reports them together with its first scan.
  if (messages.length === 0) return [];
  if (!hooks || input.type === "hooks" || told === hooks.hash) return [];
  return [foundHooks(hooks.hash, { id: `${turnId}.hooks-changed`, mode }, now)];
}

/**
 * The hash of the hooks that a message is about: one that reports hooks, or one that says the person allowed them,
 * which a fresh start keeps.
 */
function hashTold({ extra: { event } }: EventMessage): unknown {
  if (event.source === hooksFound) return event.data.hash;
  return event.subkind === "tool_decision" && event.data.risk === "hooks" ? event.data.subcommand : undefined;
}

/** The hooks that the person has allowed. `kept`: the hooks in the turn's context. */
export function hooksOf(
  kept: unknown,
  grants: readonly Grant[] | undefined,
  plan: TurnRequest["plan"],
): HooksOfTurn | undefined {
  const { data } = z.safeParse(ProjectHooks, kept);
  return data && areAllowed(data, grants ?? []) ? new TurnHooks(data.hooks, plan ?? null) : undefined;
}
