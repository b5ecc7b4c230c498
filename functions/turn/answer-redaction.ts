// Takes secrets out of a model's answer on its way: what is streamed, and what the message will hold, are the same text.
import type { Redactor } from "../../shared/redact/redactor.ts";
import type { ModelEvent } from "../model/model-event.ts";

/**
 * What each event of an answer comes to, with marks in place of secrets. A delta is held back while it may be the
 * beginning of one. Arguments of calls are left as they are, but for our own secrets: a key that a model invents for
 * a test is a text that it has to be able to write.
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
