// Redacts a model's answer as it streams: what is shown and what the message will hold are the same text.
import type { Redactor } from "../../shared/redact/redactor.ts";
import type { ModelEvent } from "../model/model-event.ts";

/**
 * Maps each event of an answer to events with marks in place of secrets. A delta that may be the beginning of a secret
 * is held back. In arguments of calls only our own secrets are redacted: a model must be able to write a made-up key
 * into a test.
 */
export function answerRedaction(all: Redactor, own: Redactor): (event: ModelEvent) => ModelEvent[] {
  let text = all.stream();
  let reasoning = all.stream();
  return (event) => {
    switch (event.type) {
      case "text":
        return delta("text", text.push(event.delta));
      case "reasoning":
        return delta("reasoning", reasoning.push(event.delta));
      case "call": {
        const { call } = event;
        return [{ ...event, call: { ...call, arguments: own.redact(call.arguments) } }];
      }
      case "retry":
        text = all.stream();
        reasoning = all.stream();
        return [event];
      case "end":
        return [
          ...delta("reasoning", reasoning.end()),
          ...delta("text", text.end()),
          { ...event, text: all.redact(event.text), reasoning: all.redact(event.reasoning) },
        ];
      default:
        return [event];
    }
  };
}

function delta(type: "text" | "reasoning", shown: string): ModelEvent[] {
  return shown === "" ? [] : [{ type, delta: shown }];
}
