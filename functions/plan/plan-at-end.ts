// The plan as a history leaves it: its newest version with the updates after it. Progress is not in it.
import type { EventMessage, Message } from "../../shared/message.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { applyUpdate } from "../../shared/plan/update-plan.ts";
import { isEventOf } from "../../shared/session/history.ts";
import { parseArguments } from "../calls/parse-arguments.ts";

/** Undefined where `history` holds no version. Its hash is that of the version. */
export function planAtEnd(history: readonly Message[]): Plan | undefined {
  const at = history.findLastIndex(({ role }) => role === "plan");
  const version = history[at];
  if (version?.role !== "plan") return undefined;
  const applied = new Set(
    history.slice(at + 1).flatMap((message) => (isEventOf(message, "plan_delta") ? [callOf(message)] : [])),
  );
  // One answer may hold the call that made the version and the one that changed it.
  return history
    .flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
    .filter(({ id }) => applied.has(id))
    .reduce((plan, call) => {
      const parsed = parseArguments(call.arguments);
      const updated = applyUpdate(plan, parsed.ok ? parsed.value : null);
      return updated.ok ? updated.plan : plan;
    }, version.extra.plan);
}

function callOf({ extra }: EventMessage): unknown {
  return extra.event.data.toolCallId;
}
