// The ending of a turn that the person stopped: every open call gets a result, then `turn.done`.

import { promptBudget } from "../context/estimate.ts";
import { showLedger } from "../plan/exit-plan.ts";
import { emit, openCalls, type TurnState } from "../turn/turn-state.ts";
import { roundLimit } from "./budget.ts";
import { asMessage, resultMessage, withMeta } from "./messages.ts";

/** Stages the ending; the sandbox accepts it as the last record of a stopped turn. */
export function endStopped(state: TurnState): void {
  const open = openCalls(state.history);
  for (const ordinal of open?.ordinals ?? []) {
    const call = open?.message.toolCalls?.[ordinal];
    if (!open || !call) continue;
    emit(
      state,
      withMeta(
        asMessage(
          resultMessage(call, {
            ok: false,
            content: "stopped",
            at: open.message.createdAt,
            mode: state.mode,
          }),
        ),
        {
          round: state.round,
          maxRounds: roundLimit(state),
          contextTokens: open.message.contextTokens ?? 0,
          budgetTokens: promptBudget(state.model.contextWindow),
        },
      ),
    );
  }
  showLedger(state);
  emit(state, { event: "turn.done", data: { reason: "stopped", rounds: state.round } });
}
