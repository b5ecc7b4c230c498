// A summary by the model itself of what its requests leave out (optional). Recorded before it is used: never paid twice.
import type { TurnEvent } from "../../shared/event.ts";
import type { Usage } from "../../shared/message.ts";
import { roomOf } from "../context/calibration.ts";
import { estimatePrompt } from "../context/estimate.ts";
import { lastSummary, maxSummaryChars, summaryRequest, summarySource } from "../context/summary.ts";
import { hostBudget, limits } from "../limits.ts";
import { accountOf } from "./accounting.ts";
import type { Asked } from "./ask-model.ts";
import { mayAskAgain } from "./budget.ts";
import { commit } from "./commit.ts";
import { stream } from "./sample.ts";
import { emitEvent, type TurnState } from "./state.ts";

/**
 * True where the history now has a new summary. Where the model gives none, the digest of facts has to do: that is
 * recorded too, so that it is not asked for again until more has been left out. Throws what the sandbox fails with.
 */
export async function* sumUp(state: TurnState, asked: Asked): AsyncGenerator<TurnEvent, boolean> {
  if (!state.model.summary || asked.trimmed === 0) return false;
  const { history, model, request, deps } = state;
  const wanted = summaryRequest(history, asked.shown, roomOf(asked.known, model.contextWindow));
  if (wanted === undefined || !mayAfford(state)) return false;
  const answer = stream(state, { messages: wanted.prompt, tools: [], maxRetries: 0 });
  let text: string | undefined;
  let counted: Usage | undefined;
  try {
    for await (const event of answer) {
      if (event.type === "usage") {
        const { type: _, ...usage } = event;
        counted = usage;
        yield { event: "usage", data: usage };
      } else if (event.type === "end") text = event.text.trim();
    }
  } catch {
    text = "";
  }
  // Stopped, or the host has to leave.
  if (text === undefined) return false;
  const estimatedTokens = estimatePrompt(wanted.prompt);
  // What failed was not paid for, as far as anybody says.
  const { usage } =
    text || counted ? accountOf({ ...asked, estimatedTokens }, counted, text, model.price) : {};
  emitEvent(state, {
    id: `${request.turnId}.${state.round}.summary-${deps.newId().slice(0, 8)}`,
    at: deps.now(),
    subkind: "system_notice",
    source: summarySource,
    content: text
      ? state.redactors.all.redact(text).slice(0, maxSummaryChars)
      : (lastSummary(history)?.content ?? ""),
    data: { through: wanted.through, ok: text !== "", ...(usage ? { usage } : {}) },
  });
  yield* commit(state);
  return text !== "";
}

/** With a round still left behind it: the request, and the one that records it. */
function mayAfford(state: TurnState): boolean {
  const needed = state.used.subrequests + 2 + limits.roundSubrequests;
  return needed <= hostBudget(state.deps.host).subrequests && mayAskAgain(state, 0);
}
