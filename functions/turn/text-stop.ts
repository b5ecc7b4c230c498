// An answer with neither text nor calls: asked for again, or told in words. A turn never ends on one in silence.
import { HandrailError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/event.ts";
import type { AssistantMessage, Finish } from "../../shared/message.ts";
import type { RoundEnd } from "./round.ts";
import { emitEvent, modelRef, type TurnState } from "./state.ts";

/** Why asking again as before would bring nothing. */
const reasons: Partial<Record<Finish, string>> = {
  length: "used up the tokens of its answer before it said anything",
  content_filter: "said nothing: its provider's filter withheld the answer",
};

/** The round goes on, once the history tells the model what was missing. Throws `model_error` where that would not help. */
export function* afterEmptyAnswer(
  state: TurnState,
  { id, createdAt, finish }: AssistantMessage,
): Generator<TurnEvent, RoundEnd> {
  const { provider, id: model } = modelRef(state);
  if (!state.log.peek())
    yield { event: "diagnostic", data: { provider, model, kind: "empty_answer", repaired: false } };
  const reason = reasons[finish];
  if (reason !== undefined)
    throw new HandrailError(
      "model_error",
      `${model} ${reason}. Say it in other words, or choose another model.`,
    );
  emitEvent(state, {
    id: `${id}.empty`,
    at: createdAt,
    subkind: "system_notice",
    source: "model",
    content: "The answer before this was empty. Go on with the task, or say what was done and what is open.",
  });
  return { kind: "goes_on", malformed: true };
}
