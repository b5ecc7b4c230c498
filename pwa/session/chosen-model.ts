// Chooses the model that answers a turn and its effort: one for planning and one for everything else, as the person
// chose for the session.
import type { ModelRef } from "../../shared/event.ts";
import type { Mode } from "../../shared/mode.ts";
import type { TurnInput } from "../../shared/turn.ts";
import type { ModelPick, SessionRecord } from "../storage/session-record.ts";

/** `run` is everything but planning. */
export type PickFor = "plan" | "run";

/** Approvals, and answers that run the plan, are sent in plan mode but do the work, so they count as `run`. */
export function pickFor(mode: Mode, input: TurnInput): PickFor {
  const runs = input.type === "approve" || (input.type === "answers" && input.run === true);
  return mode === "plan" && !runs ? "plan" : "run";
}

/** The model chosen for that work; planning uses the session's model unless it has its own. */
export function pickOf({ model, effort, planning }: SessionRecord, of: PickFor): ModelPick {
  if (of === "run") return { ...(model && { model }), ...(effort && { effort }) };
  const planned = planning?.model ?? model;
  return { ...(planned && { model: planned }), ...(planning?.effort && { effort: planning.effort }) };
}

/** The change to the record that makes this choice. */
export function withPick(
  { planning }: SessionRecord,
  of: PickFor,
  change: { model?: ModelRef | undefined; effort?: string | undefined },
): Partial<SessionRecord> {
  return of === "run" ? change : { planning: { ...planning, ...change } };
}
