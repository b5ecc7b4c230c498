// Optional: the model summarizes what its requests leave out. Recorded before it is used, so that it is never paid twice.
import type { TurnEvent } from "../../shared/event.ts";
import type { Usage } from "../../shared/message.ts";
import { lastSummary, maxSummaryChars, summaryRequest } from "../compaction/model-summary.ts";
import { roomOf } from "../context/calibration.ts";
import { estimatePrompt } from "../context/estimate.ts";
import { summarySource } from "../context/event-retention.ts";
import { hostBudget, limits } from "../limits.ts";
import { streamCompletion } from "../model/complete.ts";
import { accountOf } from "./answer-draft.ts";
import { takeRetry } from "./budget.ts";
import type { PromptAttempt } from "./prompt-attempt.ts";
import { completion } from "./sample.ts";
import type { Turn } from "./turn.ts";

/**
 * True where the history now has a new summary. Where the model gives none, the digest of facts is used, and that is
 * recorded too: it is not asked again until more has been left out. Throws what the sandbox fails with.
 */
export async function* sumUp(turn: Turn, attempt: PromptAttempt): AsyncGenerator<TurnEvent, boolean> {
  const { model, request, deps, redactors } = turn.env;
  if (!model.summary || attempt.trimmed === 0) return false;
  const { history, round } = turn.state;
  const wanted = summaryRequest(history, attempt.shown, roomOf(attempt.known, model.contextWindow));
  if (wanted === undefined || !mayAfford(turn)) return false;
  const completed = completion(turn, { messages: wanted.prompt, tools: [] });
  const answer = streamCompletion(completed.deps, { ...completed.request, maxRetries: 0 });
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
  // Stopped or detached.
  if (text === undefined) return false;
  const estimatedTokens = estimatePrompt(wanted.prompt);
  // A failed request is not counted as paid: no provider reported usage for it.
  const { usage } =
    text || counted ? accountOf({ ...attempt, estimatedTokens }, counted, text, model.price) : {};
  turn.note({
    id: `${request.turnId}.${round}.summary-${deps.newId().slice(0, 8)}`,
    at: deps.now(),
    subkind: "system_notice",
    source: summarySource,
    content: text
      ? redactors.all.redact(text).slice(0, maxSummaryChars)
      : (lastSummary(history)?.content ?? ""),
    data: { through: wanted.through, ok: text !== "", ...(usage ? { usage } : {}) },
  });
  yield* turn.commit();
  return text !== "";
}

/** Whether the budget has the request, the one that records it, and a round after them. */
function mayAfford(turn: Turn): boolean {
  const needed = turn.used.subrequests + 2 + limits.roundSubrequests;
  return needed <= hostBudget(turn.env.deps.host).subrequests && takeRetry(turn, 0);
}
