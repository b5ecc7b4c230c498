// Undo to a step: its snapshot comes back, it and the later ones are open again. A person's act, in any mode.

import { HandrailError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/event.ts";
import type { Mode } from "../../shared/mode.ts";
import type { Plan } from "../../shared/plan/plan-file.ts";
import { reopenFrom, stepNumber } from "../../shared/plan/steps.ts";
import { runCalls } from "../turn/commit.ts";
import { emit, type TurnState } from "../turn/state.ts";
import { type Rewinding, rewindKey, rewound } from "../turn/turn-context.ts";

/** What a rewind of `plan` to `stepId` comes to, for the turn's context. */
export function rewindTo(
  plan: Plan,
  stepId: string,
  { turnId, mode }: { turnId: string; mode: Mode },
): Rewinding {
  const reopened = reopenFrom(plan, stepId);
  return {
    plan: { ...reopened, status: reopened.status === "done" ? "executing" : reopened.status },
    notice: {
      id: `${turnId}.rewind`,
      role: "event",
      content: `The person went back to before step ${stepNumber(plan, stepId)} (${stepId}): files are as they were then; that step and the later ones are open again.`,
      createdAt: 0,
      mode,
      extra: { event: { subkind: "system_notice", source: "rewind", data: { stepId } } },
    },
  };
}

/** Throws the sandbox's error where the snapshot cannot be restored; nothing has changed then. */
export async function* rewind(state: TurnState, snapshot: string): AsyncGenerator<TurnEvent> {
  const { turnId } = state.request;
  const key = rewindKey(turnId);
  const [result] = yield* runCalls(state, [{ key, op: "restore", args: { snapshot } }], { access: "write" });
  // Whoever ends a stopped turn says what came of it.
  if (state.signals.stop.aborted) return;
  if (!result?.ok) {
    throw new HandrailError(
      result?.error?.code ?? "internal",
      result?.error?.message ?? "The snapshot could not be restored.",
    );
  }
  const { context, log } = state;
  for (const draft of rewound({ turnId, context, result: (key) => log.result(key) })) emit(state, draft);
}
