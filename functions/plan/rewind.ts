// Undo to a step: its snapshot comes back, it and the later ones are open again. A person's act, in any mode.

import { HandrailError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/event.ts";
import { reopenFrom, stepNumber } from "../../shared/plan/steps.ts";
import { runCalls } from "../turn/commit.ts";
import { emit, emitEvent, type TurnState } from "../turn/turn-state.ts";

/** Throws the sandbox's error where the snapshot cannot be restored; nothing has changed then. */
export async function* rewind(
  state: TurnState,
  to: { stepId: string; snapshot: string },
): AsyncGenerator<TurnEvent> {
  const key = `${state.request.turnId}/0/rewind`;
  const [result] = yield* runCalls(state, [{ key, op: "restore", args: { snapshot: to.snapshot } }], {
    access: "write",
  });
  if (!state.plan || !result) return;
  if (!result.ok) {
    throw new HandrailError(
      result.error?.code ?? "internal",
      result.error?.message ?? "The snapshot could not be restored.",
    );
  }
  const number = stepNumber(state.plan, to.stepId);
  const reopened = reopenFrom(state.plan, to.stepId);
  emit(state, {
    event: "plan",
    data: { plan: { ...reopened, status: reopened.status === "done" ? "executing" : reopened.status } },
  });
  emitEvent(state, {
    id: `${state.request.turnId}.rewind`,
    at: result.at,
    subkind: "system_notice",
    source: "rewind",
    content: `The person went back to before step ${number} (${to.stepId}): files are as they were then; that step and the later ones are open again.`,
    data: { stepId: to.stepId },
  });
}
