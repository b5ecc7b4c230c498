// The ending of a turn that the person stopped: every open call gets a result, then `turn.done`.
import { showLedger } from "../plan/proposal.ts";
import { emit, type TurnState } from "./state.ts";
import { stoppedResults } from "./stopped-results.ts";

/** Stages the ending; the sandbox accepts it as the last record of a stopped turn. */
export function endStopped(state: TurnState): void {
  const { history: messages, log, request } = state;
  const result = (key: string) => log.result(key);
  const drafts = stoppedResults({ ...state, turnId: request.turnId, messages, result });
  for (const draft of drafts) emit(state, draft);
  showLedger(state);
  emit(state, { event: "turn.done", data: { reason: "stopped", rounds: state.round } });
}
