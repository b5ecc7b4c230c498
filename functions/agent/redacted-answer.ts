// Takes secrets out of a model's answer on its way: what is streamed, and what the message will hold, are the same text.
import type { Redactor } from "../../shared/redact/redactor.ts";
import type { ModelEvent } from "../model/model-event.ts";

/**
 * The events of `answer` with marks in place of secrets. A delta is held back while it may be the beginning of one.
 * Arguments of calls are left as they are, but for our own secrets: a key that a model invents for a test is a text
 * that it has to be able to write.
 */
export async function* redactedAnswer(
  answer: AsyncIterable<ModelEvent>,
  all: Redactor,
  own: Redactor,
): AsyncGenerator<ModelEvent> {
  let text = all.stream();
  let reasoning = all.stream();
  for await (const event of answer) {
    switch (event.type) {
      case "text":
        yield* delta("text", text.push(event.delta));
        break;
      case "reasoning":
        yield* delta("reasoning", reasoning.push(event.delta));
        break;
      case "call": {
        const { call } = event;
        yield { ...event, call: { ...call, arguments: own.redact(call.arguments) } };
        break;
      }
      case "retry":
        text = all.stream();
        reasoning = all.stream();
        yield event;
        break;
      case "end":
        yield* delta("reasoning", reasoning.end());
        yield* delta("text", text.end());
        yield { ...event, text: all.redact(event.text), reasoning: all.redact(event.reasoning) };
        break;
      default:
        yield event;
    }
  }
}

function* delta(type: "text" | "reasoning", shown: string): Generator<ModelEvent> {
  if (shown !== "") yield { type, delta: shown };
}
